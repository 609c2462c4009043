import { sql } from 'kysely';
import { pruneBatches } from '../../../platform/jobs/prune-batches.ts';
import type { Task } from '../../../platform/jobs/task.ts';
import { pruneJobKeys } from '../../api-keys/job-key.service.ts';

/** Each CI job leaves a token and a key behind. What they did stays in the journal. */
export const pruneJobCredentials: Task = {
  name: 'prune-job-credentials',
  cron: '27 * * * *',
  async run(db) {
    await pruneBatches((limit) =>
      sql`
        delete from used_token where (issuer, jti) in (
          select issuer, jti from used_token where expires_at < now() - interval '1 hour' limit ${limit}
        )`.execute(db),
    );
    await pruneJobKeys(db);
  },
};
