import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import { newId } from '../../../platform/ids.ts';
import { takeReevaluations } from './reevaluation-queue.ts';
import { createReevaluationShares } from './reevaluation-shares.ts';

const api = await startApi();
const parts = { db: api.db, log: noLog };
const other = await api.givenOrg('other');
const quiet = await api.givenOrg('quiet');

beforeEach(async () => {
  await sql`delete from environment_reevaluation where org_id is not null`.execute(api.db);
});

/** Re-evaluating environments without snapshots takes no time, and follows the same order. */
async function givenDue(org: Pick<TestOrg, 'id'>, count: number, secondsAgo = 0): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into environment_reevaluation (org_id, environment_id, fingerprint, cause, requested_at)
    select ${org.id}, gen_random_uuid(), '', 'policy', now() - make_interval(secs => ${secondsAgo})
    from generate_series(1, ${count}) returning environment_id as id`.execute(api.db);
  return rows.map((row) => row.id);
}

async function countDue(org: TestOrg): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    select count(*) as due from environment_reevaluation where org_id = ${org.id}`.execute(api.db);
  return rows[0]?.due ?? 0;
}

/** Shares under a clock that the test moves. */
function givenShares() {
  const clock = { now: 0 };
  const shares = createReevaluationShares(() => clock.now);
  const charge = (org: Pick<TestOrg, 'id'>, ms: number) =>
    shares.charge([{ org_id: org.id, environment_id: '', decisions: 1 }], async () => {
      clock.now += ms;
    });
  const orgsOfNextTurn = async () => (await shares.next(api.db)).map(([first]) => first?.org_id);
  return { shares, charge, orgsOfNextTurn };
}

it('re-evaluates the one environment of an org in the same turn as the first of thousands of another', async () => {
  await givenDue(api.org, 3_000, 3_600);
  await givenDue(other, 1);
  await takeReevaluations(parts);
  expect(await countDue(other)).toBe(0);
  expect(await countDue(api.org)).toBeGreaterThanOrEqual(3_000 - 4 * 32);
});

it('takes few environments in a turn, so that newly due work is reached soon', async () => {
  await givenDue(api.org, 3_000);
  // Either of the two groups that run at once may be the last.
  expect(await takeReevaluations(parts)).toBeLessThanOrEqual(5 * 32);
});

it('begins with the org that has used the least time recently', async () => {
  const { charge, orgsOfNextTurn } = givenShares();
  for (const [org, ms] of [
    [api.org, 900],
    [other, 300],
    [quiet, 600],
  ] as const) {
    await givenDue(org, 100);
    await charge(org, ms);
  }
  expect((await orgsOfNextTurn()).slice(0, 4)).toEqual([other.id, quiet.id, api.org.id, other.id]);
});

it('skips an org whose environments others are changing, after a while', async () => {
  const { shares } = givenShares();
  const changing = await api.db.startTransaction().execute();
  for (let i = 0; i < 20; i++) {
    const org = { id: newId() };
    for (const id of await givenDue(org, 1)) await lockSubject(changing, org.id, 'environment', id);
  }
  await givenDue(api.org, 1);
  await shares.charge([{ org_id: api.org.id, environment_id: '', decisions: 1 }], async () => undefined);
  await shares.charge([{ org_id: api.org.id, environment_id: '', decisions: 1 }], async () => undefined);
  for (let turn = 0; turn < 4 && (await countDue(api.org)) > 0; turn++) await takeReevaluations(parts, shares);
  expect(await countDue(api.org)).toBe(0);
  await changing.rollback().execute();
});

it('reaches each of many orgs', async () => {
  const { charge, orgsOfNextTurn } = givenShares();
  const ids = Array.from({ length: 600 }, newId);
  for (const id of ids) await givenDue({ id }, 1);
  const missing = new Set(ids);
  for (let turn = 0; turn < 1_000 && missing.size > 0; turn++) {
    for (const org of await orgsOfNextTurn()) {
      await charge({ id: org ?? '' }, 50);
      missing.delete(org ?? '');
    }
  }
  expect(missing.size).toBe(0);
});
