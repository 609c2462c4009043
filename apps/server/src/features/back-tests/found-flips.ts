import type { Flip } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { RunInterval, RunRow } from '../snapshots/read/run-intervals.reads.ts';
import { listTimes } from './back-test.store.ts';
import type { Piece } from './compare-verdicts.ts';

/** A flip without the times of its snapshots. */
export interface FoundFlip {
  readonly run: RunRow;
  readonly piece: Piece;
}

export async function toFlips(
  ctx: Ctx,
  environment: string,
  { org_id, environment_id, last }: RunInterval,
  found: readonly FoundFlip[],
): Promise<Flip[]> {
  if (found.length === 0) return [];
  const indexes = [...new Set(found.map(({ piece }) => piece.from))];
  const times = await listTimes(ctx.db, { org_id, environment_id, indexes });
  const madeAt = new Map(times.map((row) => [row.index, epochSeconds(row.created_at)]));
  return found.toSorted(inOrder).map(({ run, piece }) => ({
    environment,
    snapshot_index: piece.from,
    until_index: piece.until > last ? null : piece.until,
    timestamp: madeAt.get(piece.from) ?? 0,
    artifact: { name: run.name, fingerprint: run.fingerprint },
    from: piece.was,
    to: piece.to,
    evidence: piece.evidence,
    reasons: piece.reasons.flatMap((text) => JSON.parse(text) as Flip['reasons']),
  }));
}

function inOrder(one: FoundFlip, other: FoundFlip): number {
  if (one.piece.from !== other.piece.from) return one.piece.from - other.piece.from;
  if (one.run.name !== other.run.name) return one.run.name < other.run.name ? -1 : 1;
  return one.run.no - other.run.no;
}
