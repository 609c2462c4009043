import {
  archivePolicy,
  assertArtifact,
  attachPolicies,
  attachReportOnlyPolicies,
  detachReportOnlyPolicies,
  getSnapshot,
  listReportOnlyPolicies,
  patchEnvironment,
  promotePolicies,
  type Role,
  type Snapshot,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { environmentOf, givenEnvironment } from '../../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenAttached, givenPolicy, policyNamed, REQUIRES_TESTS } from '../../../../test/given/policies.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { startApi } from '../../../../test/harness.ts';
import { replayDecisions } from '../../runtime-verdicts/replay.reads.ts';

const api = await startApi();
const foreign = await api.givenOrg('foreign');
const OK = { status: 200, body: 'OK' };
let name = '';
let lax = '';
let strict = '';
let count = 0;

await givenFlow(api, 'web', 'version: 1\n');
for (const digit of ['a', 'b']) await givenArtifact(api, 'web', digit, { trail_name: digit });
await attest(api, 'web', 'a', {
  attestation_name: 'unit-tests',
  is_compliant: true,
  artifact_fingerprint: fingerprint('a'),
});

beforeEach(async () => {
  name = `env-${++count}`;
  lax = `lax-${count}`;
  strict = `strict-${count}`;
  await givenEnvironment(api, name);
  await givenPolicy(api, lax);
  await givenPolicy(api, strict, REQUIRES_TESTS);
});

const send =
  (contract: typeof attachReportOnlyPolicies | typeof detachReportOnlyPolicies | typeof promotePolicies) =>
  (policy_names: string[], env_name = name, key = api.org.keys.member) =>
    api.call(contract, { params: { env_name }, body: { policy_names }, key });
const attach = send(attachReportOnlyPolicies);
const detach = send(detachReportOnlyPolicies);
const promote = send(promotePolicies);

async function report(env_name = name, key = api.org.keys.reader) {
  const answer = await api.call(listReportOnlyPolicies, { params: { env_name }, key });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body as unknown as z.output<(typeof listReportOnlyPolicies)['reply']>;
}

async function entries() {
  const { id } = await environmentOf(api, name);
  const { rows } = await sql<{ type: string; payload: string }>`
    select type, payload from journal where org_id = ${api.org.id} and subject_kind = 'environment'
      and subject_id = ${id} and type like 'policy.%' order by seq`.execute(api.db);
  return rows.map(({ type, payload }) => [
    type,
    (JSON.parse(payload) as { policies: { name: string }[] }).policies[0]?.name,
  ]);
}
const historyOf = async (policy: string) => (await policyNamed(api, policy)).events.slice(1).map(({ type }) => type);
const stateOf = async () => (await environmentOf(api, name)).compliance;
const isCompliant = async (digit: string) => {
  const query = { environment_name: name };
  const { body } = await api.call(assertArtifact, { params: { fingerprint: fingerprint(digit) }, query });
  return (body as { compliant: boolean }).compliant;
};
const snapshot = async () => {
  const { body } = await api.call(getSnapshot, { params: { env_name: name, snapshot_expression: '-1' } });
  return body as Snapshot;
};

describe('a report-only policy', () => {
  it('is evaluated and explained, and turns nothing red', async () => {
    await givenAttached(api, name, [lax]);
    await givenRunning(api, name, { one: 'a', two: 'b' });
    const before = await snapshot();
    expect(await attach([strict])).toMatchObject(OK);
    expect(await report()).toMatchObject({
      environment: name,
      artifact_count: 2,
      is_cut: false,
      policies: [
        {
          ...{ policy_name: strict, version: 1, status: 'non-compliant', attached_by: 'member' },
          ...{ compliant_count: 1, non_compliant_count: 1, waived_count: 0 },
          failing: [
            {
              artifact_name: 'two',
              fingerprint: fingerprint('b'),
              reasons: [
                expect.stringContaining(`Policy '${strict}' requires a compliant attestation named 'unit-tests'`),
              ],
            },
          ],
          actions: [{ fix: expect.stringContaining("Report an attestation named 'unit-tests'"), artifact_count: 1 }],
        },
      ],
    });
    expect(await stateOf()).toBe('compliant');
    expect(await isCompliant('b')).toBe(true);
    expect(await snapshot()).toEqual(before);
    expect((await environmentOf(api, name)).policies).toEqual([lax]);
  });

  it('alone leaves the environment unknown', async () => {
    await givenRunning(api, name, { two: 'b' });
    await attach([strict]);
    expect(await stateOf()).toBe('unknown');
    expect((await report()).policies[0]?.status).toBe('non-compliant');
  });

  it('counts what has a waiver as waived', async () => {
    await givenRunning(api, name, { two: 'b' });
    await attach([strict]);
    await sql`insert into waiver (org_id, id, environment_id, fingerprint, artifact_name, description, created_at, created_by)
      values (${api.org.id}, gen_random_uuid(), ${(await environmentOf(api, name)).id}, ${fingerprint('b')}, 'two', 'x', now(), 'x')`.execute(
      api.owner,
    );
    expect((await report()).policies[0]).toMatchObject({ status: 'compliant', waived_count: 1, failing: [] });
  });

  it('shows the policy with the environment, in its history, and in the activity', async () => {
    await attach([strict]);
    expect(await policyNamed(api, strict)).toMatchObject({ consuming_envs: [], report_only_envs: [name] });
    await detach([strict]);
    expect(await policyNamed(api, strict)).toMatchObject({ report_only_envs: [] });
    expect(await historyOf(strict)).toEqual(['policy_report_only_attached', 'policy_report_only_detached']);
    expect(await entries()).toEqual([
      ['policy.report_only_attached', strict],
      ['policy.report_only_detached', strict],
    ]);
  });

  it('evaluates nothing where there is none', async () => {
    await givenRunning(api, name, { one: 'a' });
    expect(await report()).toMatchObject({ artifact_count: 1, policies: [] });
  });

  it('is attached and detached once, however often it is requested', async () => {
    for (let i = 0; i < 2; i++) expect(await attach([strict])).toMatchObject(OK);
    for (let i = 0; i < 2; i++) expect(await detach([strict])).toMatchObject(OK);
    expect(await entries()).toHaveLength(2);
  });

  it('is attached once by racing requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => attach([strict, lax])));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await entries()).toHaveLength(1);
  });

  it('prevents the policy from being archived', async () => {
    await attach([strict]);
    expect(await api.call(archivePolicy, { params: { name: strict } })).toMatchObject({ status: 409 });
    await detach([strict]);
    expect(await api.call(archivePolicy, { params: { name: strict } })).toMatchObject({ status: 200 });
  });
});

describe('promoting', () => {
  it('enforces the policy at once, and says so', async () => {
    await givenRunning(api, name, { two: 'b' });
    await attach([strict]);
    expect(await promote([strict])).toMatchObject(OK);
    expect(await stateOf()).toBe('non-compliant');
    expect((await report()).policies).toEqual([]);
    expect((await environmentOf(api, name)).policies).toEqual([strict]);
    expect(await entries()).toEqual([
      ['policy.report_only_attached', strict],
      ['policy.promoted', strict],
      ['policy.attached', strict],
    ]);
    expect(await historyOf(strict)).toEqual(['policy_report_only_attached', 'policy_promoted', 'policy_attached']);
    expect(await promote([strict])).toMatchObject(OK);
    expect(await entries()).toHaveLength(3);
  });

  it('happens also when the policy is attached or declared', async () => {
    await attach([strict, lax]);
    await api.call(attachPolicies, { params: { env_name: name }, body: { policy_names: [strict] } });
    expect((await report()).policies.map(({ policy_name }) => policy_name)).toEqual([lax]);
    await api.call(patchEnvironment, { params: { env_name: name }, body: { policies: [strict, lax] } });
    expect((await report()).policies).toEqual([]);
    expect((await environmentOf(api, name)).policies).toEqual([lax, strict]);
  });

  it('enforces once when requests race', async () => {
    await attach([strict]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => promote([strict])));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect((await entries()).map(([type]) => type)).toEqual([
      'policy.report_only_attached',
      'policy.promoted',
      'policy.attached',
    ]);
  });
});

describe('refused is', () => {
  it('what does not exist, here or in another org', async () => {
    for (const change of [attach, detach, promote]) {
      expect(await change([strict], 'nowhere')).toMatchObject({ status: 404 });
      expect(await change(['nothing'])).toMatchObject({
        status: 404,
        body: { message: expect.stringContaining("'nothing'") },
      });
      const params = { org: foreign.name, env_name: name };
      for (const key of [foreign.keys.admin, api.org.keys.admin]) {
        const answer = await api.call(attachReportOnlyPolicies, { params, body: { policy_names: [strict] }, key });
        expect(answer.status).toBe(key === foreign.keys.admin ? 404 : 403);
      }
    }
    expect(await api.call(listReportOnlyPolicies, { params: { env_name: 'nowhere' } })).toMatchObject({ status: 404 });
  });

  it('a policy that is enforced there, or that is not attached at all', async () => {
    await givenAttached(api, name, [lax]);
    expect(await attach([strict, lax])).toMatchObject({
      status: 400,
      body: { errors: { policy_names: expect.stringContaining(`'${lax}', which is enforced`) } },
    });
    expect(await promote([strict])).toMatchObject({
      status: 400,
      body: { errors: { policy_names: `contains '${strict}', which is not attached to the environment` } },
    });
    expect(await entries()).toEqual([['policy.attached', lax]]);
  });

  it('an empty list, more than an environment may have, and a logical environment', async () => {
    expect(await attach([])).toMatchObject({ status: 400 });
    const many = Array.from({ length: 20 }, (_, i) => `many-${count}-${i}`);
    for (const policy of many) await givenPolicy(api, policy);
    expect(await attach(many)).toMatchObject(OK);
    expect(await attach([strict])).toMatchObject({
      status: 400,
      body: { errors: { policy_names: expect.stringContaining('the maximum is 20') } },
    });
    await givenEnvironment(api, `${name}-all`, 'logical');
    expect(await attach([strict], `${name}-all`)).toMatchObject({ status: 400 });
    expect((await api.call(listReportOnlyPolicies, { params: { env_name: `${name}-all` } })).status).toBe(400);
  });

  it.each<[Role, number]>([
    ['admin', 200],
    ['member', 200],
    ['snapshotter', 403],
    ['reader', 403],
  ])('a change by those who may not manage environments: %s', async (role, status) => {
    for (const change of [attach, promote, detach]) {
      expect((await change([strict], name, api.org.keys[role])).status).toBe(status);
    }
  });
});

it('replays all decisions without a difference', async () => {
  expect(await replayDecisions(api.db)).toMatchObject({ differences: 0, otherEngines: 0 });
});
