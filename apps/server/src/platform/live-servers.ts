import { sql } from 'kysely';
import type { Db } from './db/db.ts';
import { newId } from './ids.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import { pause } from './pause.ts';

const BEAT_MS = 2_000;
const LEASE_SECONDS = 10;

export interface LiveServers {
  /** How many API servers run, this one included. The last known number while the database is down. */
  count(): number;
  /** Sends a heartbeat for this server, and counts the others. */
  beat(): Promise<void>;
  /** Does so until the signal is aborted, then removes this server from the count. */
  run(signal: AbortSignal): Promise<void>;
}

/** Lets the API servers of an installation count each other, by the clock of the database. */
export function createLiveServers({ db, log }: { db: Db; log: Logger }): LiveServers {
  const id = newId();
  let count = 1;

  async function beat(): Promise<void> {
    const { rows } = await sql<{ others: number }>`
      with alive as (
        insert into server (id, alive_until) values (${id}, now() + make_interval(secs => ${LEASE_SECONDS}))
        on conflict (id) do update set alive_until = excluded.alive_until
      ), dead as (
        delete from server where alive_until < now() - interval '1 hour'
      )
      select count(*) as others from server where id <> ${id} and alive_until > now()`.execute(db);
    count = 1 + (rows[0]?.others ?? 0);
  }

  return {
    count: () => count,
    beat,
    async run(signal) {
      while (!signal.aborted) {
        await beat().catch((error: unknown) => log.warn({ error: String(error) }, 'API servers could not be counted'));
        await pause(BEAT_MS, signal);
      }
      await db
        .deleteFrom('server')
        .where('id', '=', id)
        .execute()
        .catch(() => undefined);
    },
  };
}

export function observeServers(metrics: Metrics, { count }: Pick<LiveServers, 'count'>): void {
  metrics.observe('api_servers', 'API servers that share the rate limits, as counted by this one', async () => [
    { value: count(), labels: {} },
  ]);
}
