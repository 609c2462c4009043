import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { commandsOn } from '../../../test/run-command.ts';

const { url } = await createDatabase(inject('templateDatabase'));

const run = commandsOn(url);

async function givenDecision(org: string, engine: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into decision (org_id, id, policy_id, policy_version, evidence_id, context, engine, status, shown, reasons,
       created_at)
     select id, gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), '{}', $2, 'COMPLIANT', '{}', '[]',
       '2026-11-02T12:00:00Z'
     from org where name = $1`,
    [org, engine],
  );
  await client.end();
}

it('says how many were the same, and exits 1 when one was not', async () => {
  await run('org', 'create', 'acme');
  await run('org', 'create', 'other');
  expect(await run('replay')).toMatchObject({
    code: 0,
    out: '0 replayed, 0 differences, 0 of other engines skipped',
  });
  await givenDecision('acme', 'policy/3');
  await givenDecision('other', 'policy/0');
  const { code, out } = await run('replay');
  expect(code).toBe(1);
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^org 'acme', policy '[0-9a-f-]{36}' version 1, decision [0-9a-f-]{36}: inputs$/),
    expect.stringContaining('stored'),
    expect.stringContaining('The version of the policy is missing'),
    '1 replayed, 1 difference, 1 of other engines skipped',
  ]);
  expect(await run('replay', '--org', 'other')).toMatchObject({
    code: 0,
    out: '0 replayed, 0 differences, 1 of other engines skipped',
  });
  expect(await run('replay', '--since', '2026-11-03')).toMatchObject({ code: 0 });
  expect(await run('replay', '--since', '2026-11-02', '--sample', '10')).toMatchObject({ code: 1 });
});

it.each([
  [['--org', 'nowhere'], "There is no org 'nowhere'"],
  [['--sample', '0'], '--sample must be a whole number, at least 1'],
  [['--since', 'yesterday'], '--since must be a time, such as 2026-11-01 or 2026-11-01T12:00:00Z'],
])('refuses %j in one line', async (args, err) => {
  expect(await run('replay', ...args)).toEqual({ code: 1, out: '', err });
});
