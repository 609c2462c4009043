import type { ObjectStore } from '../../platform/blobs/object-store.ts';
import type { Db } from '../../platform/db/db.ts';
import { describe } from './describe.ts';
import type { LedgerDifference } from './difference.ts';
import { storeRegionResult } from './ledger-check.store.ts';
import { compareRegionLogs } from './trees/compare-region-log.ts';

export interface RegionCheckParts {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly onDifference?: (difference: LedgerDifference, line: string) => void;
  /** Checkpoints that somebody stored, as signed notes. */
  readonly stored?: readonly string[];
}

/** Compares the region log of all epochs with its checkpoints, and stores the result. */
export async function checkRegion(parts: RegionCheckParts): Promise<{ leaves: number; problems: number }> {
  const { db, objects, onDifference, stored = [] } = parts;
  const found: LedgerDifference[] = [];
  const leaves = await compareRegionLogs({
    ...{ db, objects, stored },
    onDifference: (difference) => {
      found.push(difference);
    },
  });
  const lines = await Promise.all(found.map((difference) => describe(db, difference)));
  for (const [i, difference] of found.entries()) onDifference?.(difference, lines[i] ?? '');
  await storeRegionResult(db, { leaves, problems: found.length, first: lines[0] ?? null });
  return { leaves, problems: found.length };
}
