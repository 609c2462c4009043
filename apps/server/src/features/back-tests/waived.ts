import type { Ctx } from '../../platform/ctx.ts';
import { listListings } from './back-test.store.ts';
import type { Interval } from './compare-verdicts.ts';
import type { RunInterval } from './run-intervals.reads.ts';

const NOWHERE: readonly Interval[] = [];

/** In which snapshots each artifact was allow-listed, in order; of one at a time only one listing stands. */
export async function readWaived(
  ctx: Ctx,
  interval: RunInterval,
  without: ReadonlySet<string>,
): Promise<(fingerprint: string) => readonly Interval[]> {
  const listings = await listListings(ctx.db, interval);
  const counting = listings.filter((listing) => !without.has(listing.id));
  const byFingerprint = Map.groupBy(counting, ({ fingerprint }) => fingerprint);
  const waived = new Map(
    Array.from(byFingerprint, ([fingerprint, listed]) => [
      fingerprint,
      listed.map(({ from_index: from, until_index: until }) => ({ from, until: until ?? interval.last + 1 })),
    ]),
  );
  return (fingerprint) => waived.get(fingerprint) ?? NOWHERE;
}
