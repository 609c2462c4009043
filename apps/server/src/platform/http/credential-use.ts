import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import type { Logger } from '../log.ts';
import type { Caller } from './auth.ts';

/** Resolution of the recorded time of last use. */
const GRAIN_MS = 60_000;
const FLUSH_MS = 5_000;

export interface CredentialUse {
  note(caller: Pick<Caller, 'credential' | 'usedAt'>): void;
  /** Resolves when all that was collected is written; called by a timer, by tests, and before the process ends. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Records when keys and sessions were used, at most once a minute each and in one statement for all: requests write
 * nothing. A killed process loses the last seconds.
 */
export function recordCredentialUse(db: Db, now: () => Date, log: Logger): CredentialUse {
  const used = { key: new Map<string, Date>(), session: new Map<string, Date>() };
  const writeAll = async () => {
    await write(db, 'api_key', used.key);
    await write(db, 'session', used.session);
  };
  let last = Promise.resolve();
  // One after the other: what an earlier flush has taken may not be written yet.
  const flush = () => {
    const flushed = last.then(writeAll);
    last = flushed.catch(() => undefined);
    return flushed;
  };
  const timer = setInterval(
    () => void flush().catch((error) => log.warn({ err: error }, 'last uses were not recorded')),
    FLUSH_MS,
  );
  timer.unref();
  return {
    note({ credential, usedAt }) {
      const at = now();
      const before = used[credential.kind].get(credential.id) ?? usedAt;
      if (before === null || at.getTime() - before.getTime() >= GRAIN_MS) used[credential.kind].set(credential.id, at);
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush().catch(() => undefined);
    },
  };
}

async function write(db: Db, table: 'api_key' | 'session', used: Map<string, Date>): Promise<void> {
  if (used.size === 0) return;
  const [ids, times] = [[...used.keys()], [...used.values()]];
  used.clear();
  const column = sql.ref(table === 'api_key' ? 'last_used_at' : 'last_seen_at');
  await sql`
    update ${sql.table(table)} as credential set ${column} = noted.at
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) as noted (id, at)
    where credential.id = noted.id and (credential.${column} is null or credential.${column} <= noted.at - ${GRAIN_MS} * interval '1 millisecond')`.execute(
    db,
  );
}
