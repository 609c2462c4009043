import type { ChangeRequest } from '@waymark/contract';

export const STATE_LABELS: Readonly<Record<ChangeRequest['state'], string>> = {
  pending: 'Pending',
  approved: 'Approved',
  refused: 'Refused',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
};

/** The number of pending changes, for the home page. */
export function waitingWords(count: number): string {
  return count === 1 ? '1 change awaits approval' : `${count} changes await approval`;
}
