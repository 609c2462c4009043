import type { Review } from '@waymark/contract';

export type ApprovalState = 'APPROVED' | 'UNAPPROVED' | 'PENDING';

/** Derives the state from the reviews: one rejection outweighs all approvals, and no review makes a request. */
export function stateOf(reviews: readonly Review[]): ApprovalState {
  if (reviews.length === 0) return 'PENDING';
  return reviews.every(({ state }) => state === 'APPROVED') ? 'APPROVED' : 'UNAPPROVED';
}

export function reviewersOf(reviews: readonly Review[]): string {
  const names = reviews.flatMap(({ approved_by }) => (approved_by ? [approved_by] : []));
  return [...new Set(names)].join(', ');
}
