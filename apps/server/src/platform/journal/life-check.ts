import { type Db, type DbConfig, openDb } from '../db/db.ts';
import type { Logger } from '../log.ts';
import { isKnownLife } from './life.ts';

export const NEEDS_SEQUENCER =
  'This database is in another PostgreSQL cluster than before, or was restored to an earlier time. A worker must record that first: start one, and try again.';

/** How soon a server notices that a worker has recorded it. */
const POLL_MS = 250;

/** Knows whether the database is where the sequencer last saw it. */
export interface LifeCheck {
  /** Asks the database again only if a connection was made or lost since the last answer, or if that answer was no. */
  isKnown(): Promise<boolean>;
}

/** Opens the database together with a check that notices when connections lead to another copy of it. */
export function openCheckedDb(config: DbConfig, log: Logger): { db: Db; life: LifeCheck } {
  let connectionChanges = 0;
  const db = openDb({ ...config, onConnectionChange: () => connectionChanges++ }, log);
  return { db, life: createLifeCheck(db, log, () => connectionChanges) };
}

export function createLifeCheck(db: Db, log: Logger, connectionChanges: () => number = () => 0): LifeCheck {
  let last: { readonly known: boolean; readonly changes: number; readonly at: number } | undefined;
  let asking: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    const answer = await db.connection().execute(async (db) => ({
      changes: connectionChanges(),
      known: await isKnownLife(db),
      at: performance.now(),
    }));
    if (!answer.known && last?.known !== false) log.error(NEEDS_SEQUENCER);
    if (answer.known && last?.known === false) log.info('a worker has recorded the new place of the database');
    last = answer;
    return answer.known;
  }

  return {
    async isKnown() {
      if (last?.changes === connectionChanges()) {
        if (last.known) return true;
        if (performance.now() < last.at + POLL_MS) return false;
      }
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}
