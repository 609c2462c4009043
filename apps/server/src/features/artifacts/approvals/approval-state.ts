import type { Review } from '@waymark/contract';

export type ApprovalState = 'APPROVED' | 'UNAPPROVED' | 'PENDING';

/** What the reviews come to: one that says no outweighs all that say yes, and none at all is a request. */
export function stateOf(reviews: readonly Review[]): ApprovalState {
  if (reviews.length === 0) return 'PENDING';
  return reviews.every(({ state }) => state === 'APPROVED') ? 'APPROVED' : 'UNAPPROVED';
}

export function reviewersOf(reviews: readonly Review[]): string {
  const names = reviews.flatMap(({ approved_by }) => (approved_by ? [approved_by] : []));
  return [...new Set(names)].join(', ');
}
