import type { Ctx } from '../../platform/ctx.ts';
import type { RunInterval } from '../snapshots/read/run-intervals.reads.ts';
import { listWaiversOf } from './back-test.store.ts';
import type { Interval } from './compare-verdicts.ts';

const NOWHERE: readonly Interval[] = [];

/** Returns the snapshots in which each artifact had a waiver, in order. An artifact has one active waiver at a time. */
export async function readWaived(
  ctx: Ctx,
  interval: RunInterval,
  without: ReadonlySet<string>,
): Promise<(fingerprint: string) => readonly Interval[]> {
  const waivers = await listWaiversOf(ctx.db, interval);
  const counting = waivers.filter((waiver) => !without.has(waiver.id));
  const byFingerprint = Map.groupBy(counting, ({ fingerprint }) => fingerprint);
  const waived = new Map(
    Array.from(byFingerprint, ([fingerprint, listed]) => [
      fingerprint,
      listed.map(({ from_index: from, until_index: until }) => ({ from, until: until ?? interval.last + 1 })),
    ]),
  );
  return (fingerprint) => waived.get(fingerprint) ?? NOWHERE;
}
