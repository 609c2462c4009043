import { listAttestations } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { attest } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();

/** Copies of the first attestation, each with its own name. */
const givenNames = (count: number) =>
  sql`
    insert into attestation
    select copy.* from (select * from attestation where org_id = ${api.org.id} order by receipt limit 1) as stored
    cross join generate_series(1, ${count}::integer) as number
    cross join lateral jsonb_populate_record(null::attestation, to_jsonb(stored) || jsonb_build_object(
      'id', gen_random_uuid(), 'receipt', nextval('receipt'), 'name', 'n-' || number || gen_random_uuid())) as copy`.execute(
    api.db,
  );

const search = () => api.call(listAttestations, { query: { name_regex: '^zz-' } });

it('searches every name, or is refused when there are too many', { timeout: 600_000 }, async () => {
  await attest(api, 'build', 't', { attestation_name: 'zz-last', is_compliant: true });
  await givenNames(10_001);
  expect((await search()).body).toMatchObject({ data: [{ attestation_name: 'zz-last' }] });

  await givenNames(15_000);
  expect(await search()).toMatchObject({
    status: 400,
    body: {
      errors: {
        'query.name_regex': 'can search at most 25,000 names, and this org uses more. Use name instead',
      },
    },
  });
});
