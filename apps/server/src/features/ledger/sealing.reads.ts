import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

export interface Sealing {
  readonly state: 'signed' | 'unsigned' | 'stopped';
  /** Why signing stopped. */
  readonly reason: string | null;
  readonly epoch: number;
}

interface SealerRow {
  readonly epoch: number;
  readonly has_key: boolean;
  readonly stopped_because: string | null;
}

const findSealer = statement<Record<never, never>, SealerRow>(
  'find_sealer_state',
  'select epoch, has_key, stopped_because from sealer',
);

/** Returns whether checkpoints are signed. */
export async function readSealing(db: Db): Promise<Sealing> {
  const [row] = await findSealer(db, {});
  if (!row) throw new Error('the table sealer has no row');
  const { epoch, has_key, stopped_because: reason } = row;
  if (reason !== null) return { state: 'stopped', reason, epoch };
  return { state: has_key ? 'signed' : 'unsigned', reason: null, epoch };
}
