import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Task } from '../../platform/jobs/task.ts';

const BATCH = 10_000;

/** Each job of a CI system leaves a token and a key behind. What they did stays in the journal. */
export const pruneJobCredentials: Task = {
  name: 'prune-job-credentials',
  cron: '27 * * * *',
  async run(db) {
    await inBatches(db, (db) =>
      sql`
        delete from used_token where (issuer, jti) in (
          select issuer, jti from used_token where expires_at < now() - interval '1 hour' limit ${BATCH}
        )`.execute(db),
    );
    await inBatches(db, (db) =>
      sql`
        delete from api_key where id in (
          select id from api_key
          where workload_identity_id is not null and expires_at < now() - interval '1 hour' limit ${BATCH}
        )`.execute(db),
    );
  },
};

async function inBatches(db: Db, remove: (db: Db) => Promise<{ numAffectedRows?: bigint }>): Promise<void> {
  let removed: bigint | undefined;
  do {
    removed = (await remove(db)).numAffectedRows;
  } while (removed === BigInt(BATCH));
}
