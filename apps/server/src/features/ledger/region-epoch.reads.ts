import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

/** One of the region logs. */
export interface RegionEpochRow {
  readonly epoch: number;
  readonly origin: string;
  readonly size: number;
  readonly began_at: Date;
  /** Why it began; null for the first. */
  readonly reason: string | null;
  /** Newest first. */
  readonly verifier_keys: readonly string[];
}

const listEpochs = statement<Record<never, never>, RegionEpochRow>(
  'list_region_epochs',
  'select epoch, origin, size, began_at, reason, verifier_keys from region_log order by epoch desc limit 1000',
);

/** Returns the epochs of the region log, newest first. */
export function listRegionEpochs(db: Db): Promise<RegionEpochRow[]> {
  return listEpochs(db, {});
}
