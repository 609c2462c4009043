import { randomUUID } from 'node:crypto';
import { attestGeneric, beginTrail, putFlow } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { givenMetrics } from '../../../test/given/metrics.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const { metrics, read } = givenMetrics();
const api = await startApi({ metrics });

async function givenTrail(org: TestOrg): Promise<void> {
  const call = { key: org.keys.admin, params: { org: org.name, flow_name: 'web' } };
  await api.call(putFlow, { ...call, body: { name: 'web', template: 'version: 1' } });
  const { status } = await api.call(beginTrail, { ...call, body: { name: 'begun' } });
  expect(status).toBe(201);
}

function attest(org: TestOrg, trail: string, name: string, headers: Record<string, string> = {}) {
  const params = { org: org.name, flow_name: 'web', trail_name: trail };
  const body = { attestation_name: name, is_compliant: true };
  return api.call(attestGeneric, { params, key: org.keys.member, body, headers });
}

/** Evidence ids used by an uncommitted transaction: whoever sends them again waits for it. */
async function givenLockedIds(org: TestOrg, count: number) {
  const ids = Array.from({ length: count }, () => randomUUID());
  const holding = await api.db.startTransaction().execute();
  // The transaction may idle for as long as the test takes.
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(holding);
  await sql`
    insert into evidence_receipt (org_id, evidence_id, subject_id, request_digest, answer, created_at)
    select ${org.id}, id, id, '', '', now() from unnest(${ids}::uuid[]) as id`.execute(holding);
  const release = () => holding.rollback().execute();
  onTestFinished(() => (holding.isRolledBack ? undefined : release()));
  return { ids, release };
}

async function countWaitingForLocks(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`.execute(api.db);
  return rows[0]?.waiting ?? 0;
}

const other = await api.givenOrg('other');
for (const org of [api.org, other]) await givenTrail(org);

it.each([
  ['shared statements', () => 'begun', 2],
  ['transactions of their own', (i: number) => `new-${i}`, 12],
])('answers the attestations of one org while 64 of another wait for a lock in %s', async (_, trailOf, most) => {
  const { ids, release } = await givenLockedIds(api.org, 64);
  let answered = 0;
  const wait = async (id: string, i: number) => {
    const { status } = await attest(api.org, trailOf(i), `waiting-${i}`, { 'waymark-evidence-id': id });
    answered++;
    return status;
  };
  // Two groups of statements may be in flight: both wait.
  const waiting = ids.slice(0, 32).map(wait);
  await expect.poll(countWaitingForLocks).toBeGreaterThan(0);
  waiting.push(...ids.slice(32).map((id, i) => wait(id, 32 + i)));
  await expect.poll(countWaitingForLocks).toBeGreaterThan(1);
  const together = await Promise.all(Array.from({ length: 20 }, (_, i) => attest(other, trailOf(i), `together-${i}`)));
  const statuses = together.map(({ status }) => status);
  for (let i = 0; i < 20; i++) statuses.push((await attest(other, trailOf(20 + i), `one-by-one-${i}`)).status);
  expect(statuses).toEqual(statuses.map(() => 201));
  expect(answered).toBeLessThan(64);
  await expect.poll(countWaitingForLocks).toBeLessThanOrEqual(most);

  await release();
  const outcomes = await Promise.all(waiting);
  expect(outcomes).toContain(201);
  // On a slow machine some are asked to retry later.
  expect(outcomes.filter((status) => status !== 201 && status !== 503)).toEqual([]);
});

it('records a report that waited for a lock in its group on its own, with the usual lock timeout', async () => {
  const { ids, release } = await givenLockedIds(api.org, 1);
  const recorded = attest(api.org, 'begun', 'patient', { 'waymark-evidence-id': ids[0] ?? '' });
  await expect.poll(() => read('queue_running')).toContainEqual({ value: 1, labels: { queue: 'attestations_alone' } });
  await release();
  expect((await recorded).status).toBe(201);
});
