import type { JournalEntry } from '../ledger.ts';

/** Clock difference from which a report counts as late. */
const TOLERANCE_SECONDS = 300;

/** When evidence was received, and when its sender says that it was made. */
export function received({ at, payload }: Pick<JournalEntry, 'at' | 'payload'>) {
  const claimed = payload?.['claimed_at'];
  // To the millisecond, as it is stored.
  const claimedAt = typeof claimed === 'number' ? new Date(claimed * 1000).getTime() / 1000 : null;
  return { created_at: at, claimed_at: claimedAt, late: claimedAt !== null && at - claimedAt > TOLERANCE_SECONDS };
}
