import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { newId } from '../ids.ts';
import { pruneIdempotentReplies } from './idempotency.tasks.ts';

const api = await startApi();

const givenReplies = (count: number, age: string) =>
  sql`
    insert into idempotent_reply (org_id, actor_id, key, operation, input_digest, status, body, created_at)
    select ${api.org.id}, ${newId()}, 'key ' || number, 'putFlow', '', 201, '{}', now() - ${age}::interval
    from generate_series(1, ${count}::integer) as number`.execute(api.db);

it('removes every answer that is older than 24 hours, however many there are', { timeout: 600_000 }, async () => {
  await givenReplies(100_001, '25 hours');
  await givenReplies(2, '23 hours');
  await pruneIdempotentReplies.run(api.db);
  const remaining = await api.db
    .selectFrom('idempotent_reply')
    .select('key')
    .where('org_id', '=', api.org.id)
    .execute();
  expect(remaining).toHaveLength(2);
});
