import { hash } from 'node:crypto';
import {
  allowArtifact,
  archiveEnvironment,
  assertArtifact,
  attestGeneric,
  explainEnvironment,
  getSnapshot,
  listSnapshots,
  putFlow,
  reportArtifact,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../../test/given/environments.ts';
import { artifact } from '../../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { takeReevaluations } from '../reevaluation/reevaluation-queue.ts';
import { replayDecisions } from '../replay.reads.ts';
import { runVerdictTurns, takeTurns, takeWarnings } from './verdict-turns.ts';

const api = await startApi();
const parts = { db: api.db, log: noLog, now: () => api.clock.now };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SCANNED = attestationPolicy('{ name: scan, type: generic, max_age: 14d }');

let env = '';
/** Of an artifact that no other test knows. */
let digest = '';
let count = 0;

beforeEach(async () => {
  env = `env-${++count}`;
  digest = hash('sha256', env);
  api.clock.now = new Date(api.clock.now.getTime() + 100 * DAY);
  await sql`delete from verdict_turn where org_id is not null`.execute(api.db);
});

function pass(ms: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + ms);
}

async function scan(flow: string, org: TestOrg = api.org, isCompliant = true): Promise<void> {
  await api.call(attestGeneric, {
    params: { org: org.name, flow_name: flow, trail_name: 'release' },
    key: org.keys.member,
    body: { attestation_name: 'scan', is_compliant: isCompliant, artifact_fingerprint: digest },
  });
}

/** An artifact with a scan of now, which runs where a scan may be 14 days old. */
async function givenScanned(org: TestOrg = api.org, policy = SCANNED): Promise<void> {
  const of = { org: org.name, flow_name: env };
  const key = org.keys.member;
  await api.call(putFlow, { params: { org: org.name }, key, body: { name: env, template: 'version: 1\n' } });
  await api.call(reportArtifact, {
    params: of,
    key,
    body: artifact('a', { fingerprint: digest, trail_name: 'release' }),
  });
  await scan(env, org);
  await givenEnvironment(api, env, 'server', {}, org);
  await givenPolicy(api, env, policy, org);
  await givenAttached(api, env, [env], org);
  await givenRunning(api, env, { web: digest }, org);
}

async function work(): Promise<void> {
  await takeTurns(parts);
  while ((await takeReevaluations(parts)) > 0);
}

async function complianceOf(org: TestOrg = api.org): Promise<string> {
  // Not what the API shows, where an environment that does not report becomes stale.
  const { id } = await environmentOf(api, env, org);
  const { rows } = await sql<{ compliance: string }>`
    select compliance from environment where org_id = ${org.id} and id = ${id}`.execute(api.db);
  return rows[0]?.compliance ?? '';
}

async function warnings(org: TestOrg = api.org) {
  return (await api.journal(org)).filter(({ type, payload }) => {
    return type === 'environment.evidence_expiring' && (payload as { environment: string }).environment === env;
  });
}

it('an environment becomes non-compliant when evidence becomes too old, in a snapshot that says so', async () => {
  await givenScanned();
  pass(14 * DAY - 1);
  await work();
  expect(await complianceOf()).toBe('compliant');
  pass(1);
  await work();
  expect(await complianceOf()).toBe('non-compliant');
  const { body } = await api.call(listSnapshots, { params: { env_name: env } });
  expect(body.map(({ trigger, compliance }) => [trigger, compliance])).toEqual([
    ['time', 'non-compliant'],
    ['report', 'compliant'],
  ]);
  const snapshot = await api.call(getSnapshot, { params: { env_name: env, snapshot_expression: '2' } });
  expect(JSON.stringify(snapshot.body)).toContain('became too old on');
  const entries = (await api.journal()).filter(({ type }) => type === 'snapshot.recorded');
  expect(entries.at(-1)?.payload).toMatchObject({ environment: env, trigger: 'time' });
  pass(100 * DAY);
  expect(await takeTurns(parts)).toBe(0);
});

it('an assertion and an explanation do not wait for the worker', async () => {
  await givenScanned();
  const params = { fingerprint: digest };
  const asked = async () => {
    const { body } = await api.call(assertArtifact, { params, query: { environment_name: env } });
    return (body as { compliance: string }).compliance;
  };
  expect(await asked()).toBe('compliant');
  pass(14 * DAY);
  expect(await asked()).toBe('non-compliant');
  const { body } = await api.call(explainEnvironment, { params: { env_name: env } });
  expect(JSON.stringify(body)).toContain("Report 'scan' again in trail 'release'");
});

it('a new scan in time keeps it compliant, and is what runs out next', async () => {
  await givenScanned();
  pass(10 * DAY);
  await scan(env);
  pass(4 * DAY);
  await work();
  expect(await complianceOf()).toBe('compliant');
  pass(10 * DAY);
  await work();
  expect(await complianceOf()).toBe('non-compliant');
});

it('a policy that is attached later has its turns too', async () => {
  await givenScanned(api.org, attestationPolicy('{ name: scan, type: generic }'));
  await givenPolicy(api, env, SCANNED);
  const { id } = await environmentOf(api, env);
  await sql`insert into environment_reevaluation (org_id, environment_id, fingerprint, cause, requested_at)
    values (${api.org.id}, ${id}, '', 'policy', now()) on conflict do nothing`.execute(api.db);
  await work();
  pass(14 * DAY);
  await work();
  expect(await complianceOf()).toBe('non-compliant');
});

it('warns three days before, once, with what runs out', async () => {
  await givenScanned();
  pass(11 * DAY - 1);
  expect(await takeWarnings(parts)).toBe(0);
  pass(1);
  expect(await takeWarnings(parts)).toBe(1);
  expect(await takeWarnings(parts)).toBe(0);
  const expires_at = api.clock.now.getTime() / 1000 + (3 * DAY) / 1000;
  expect(await warnings()).toEqual([
    {
      type: 'environment.evidence_expiring',
      subject_seq: expect.any(Number),
      actor: 'expiry',
      payload: {
        environment: env,
        expires_at,
        artifact_count: 1,
        artifacts: [{ name: 'web', fingerprint: digest, expires_at, policies: [env] }],
      },
    },
  ]);
  expect(await complianceOf()).toBe('compliant');
});

it('warns in the last quarter of a short time', async () => {
  await givenScanned(api.org, attestationPolicy('{ name: scan, type: generic, max_age: 4h }'));
  pass(3 * HOUR - 1000);
  expect(await takeWarnings(parts)).toBe(0);
  pass(1000);
  expect(await takeWarnings(parts)).toBe(1);
  expect(await warnings()).toHaveLength(1);
});

it.each([
  ['newer evidence is there', () => scan(env)],
  ['it fails already', () => scan(env, api.org, false)],
  ['the artifact left', () => givenRunning(api, env, { other: 'b' })],
  ['the environment is archived', () => api.call(archiveEnvironment, { params: { env_name: env } })],
  [
    'it is waived',
    () =>
      api.call(allowArtifact, {
        params: { env_name: env },
        body: { artifact_fingerprint: digest, artifact_name: 'web', description: 'Fine' },
      }),
  ],
])('does not warn when %s', async (_, change) => {
  await givenScanned();
  pass(12 * DAY);
  await change();
  await takeWarnings(parts);
  expect(await warnings()).toEqual([]);
  pass(2 * DAY);
  await work();
});

it('warns and turns once, however many workers run at the same time', async () => {
  await givenScanned();
  pass(12 * DAY);
  await Promise.all([1, 2, 3, 4].map(() => takeWarnings(parts)));
  expect(await warnings()).toHaveLength(1);
  pass(2 * DAY);
  const queued = await Promise.all([1, 2, 3, 4].map(() => takeTurns(parts)));
  expect(queued.reduce((sum, one) => sum + one, 0)).toBe(1);
});

it('an org with very many turns does not delay another', async () => {
  const other = await api.givenOrg(`other-${count}`);
  await givenScanned(other);
  const crowd = await api.givenOrg(`crowd-${count}`);
  await sql`
    insert into verdict_turn (org_id, environment_id, fingerprint, turns_at)
    select ${crowd.id}::uuid, gen_random_uuid(), n::text, ${new Date(api.clock.now.getTime() - DAY)}::timestamptz
    from generate_series(1, 5000) as n`.execute(api.db);
  pass(14 * DAY);
  await takeTurns(parts);
  const { rows } = await sql<{ org_id: string; left: number }>`
    select org_id, count(*)::integer as left from verdict_turn where org_id in (${crowd.id}, ${other.id})
    group by org_id`.execute(api.db);
  expect(rows).toEqual([{ org_id: crowd.id, left: 4_800 }]);
  await sql`delete from environment_reevaluation where org_id = ${crowd.id}`.execute(api.db);
  while ((await takeReevaluations(parts)) > 0);
  expect(await complianceOf(other)).toBe('non-compliant');
});

it('a failure is tried again, and holds up no other', async () => {
  await givenScanned();
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(
    api.owner,
  );
  await sql`create trigger refuse before update on environment for each row execute function refuse()`.execute(
    api.owner,
  );
  pass(12 * DAY);
  expect(await takeWarnings(parts)).toBe(0);
  await sql`drop trigger refuse on environment`.execute(api.owner);
  expect(await takeWarnings(parts)).toBe(1);
  expect(await warnings()).toHaveLength(1);
});

it('runs until it is stopped', async () => {
  await givenScanned();
  pass(14 * DAY);
  const stopping = new AbortController();
  let woken = 0;
  const running = runVerdictTurns({ ...parts, wake: () => ++woken }, stopping.signal, 20);
  await expect.poll(() => woken).toBe(1);
  stopping.abort();
  await running;
});

it('replays decisions of any time with no difference', async () => {
  const { replayed, differences } = await replayDecisions(api.db);
  expect(replayed).toBeGreaterThan(10);
  expect(differences).toBe(0);
});
