import {
  allowArtifact,
  archivePolicy,
  detachPolicies,
  patchTags,
  type Role,
  renameEnvironment,
  reportK8s,
  type Simulation,
  simulatePolicy,
  withdrawWaiver,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy, REQUIRES_PROVENANCE } from '../../../test/given/policies.ts';
import { givenRunning, reevaluateAll } from '../../../test/given/runs.ts';
import { type Answer, noLog, startApi } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { type Limits, simulate } from './back-test.service.ts';
import { readBackTest } from './back-test.ts';

const api = await startApi();
const foreign = await api.givenOrg('foreign');

const TESTED = attestationPolicy('{ name: tests, type: generic }');
const REVIEWED = attestationPolicy('{ name: review, type: generic }');
const NOON = Date.parse('2026-10-01T12:00:00Z');
const DAY = 86_400;
const dayOf = (day: number) => NOON / 1000 + day * DAY;

let env = '';
let count = 0;
let days = 0;

/** `a` was tested, `b` was only reported, `c` is unknown. */
beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  await givenArtifact(api, 'web', 'a', { trail_name: 'a' });
  await givenArtifact(api, 'web', 'b', { trail_name: 'b' });
  await attest(api, 'web', 'a', {
    attestation_name: 'tests',
    is_compliant: true,
    artifact_fingerprint: fingerprint('a'),
  });
});

beforeEach(async () => {
  env = `env-${++count}`;
  nextDay();
  await givenEnvironment(api, env);
});

/** Each test has its own days, as the clock never goes back. */
function nextDay(): void {
  days += 1;
  api.clock.now = new Date(NOON + days * DAY * 1000);
}

async function runs(...reports: Record<string, string>[]): Promise<void> {
  for (const running of reports) {
    await givenRunning(api, env, running);
    nextDay();
  }
}

const attach = (...names: string[]) => givenAttached(api, env, names);

function ask(body: object, more: { key?: string; headers?: Record<string, string> } = {}) {
  return api.call(simulatePolicy, { body: { environments: [env], ...body } as never, ...more });
}

async function simulated(body: object): Promise<Simulation> {
  const { status, body: answer } = (await ask(body)) as Answer<Simulation>;
  if (status !== 200) throw new Error(`it was not simulated: ${JSON.stringify(answer)}`);
  return answer;
}

/** One line per flip: snapshots, name, recorded and predicted verdict. */
const short = ({ flips }: Simulation) =>
  flips.map(
    ({ snapshot_index, until_index, artifact, from, to }) =>
      `${snapshot_index}-${until_index ?? ''} ${artifact.name}: ${from} > ${to}`,
  );

async function allow(digit: string, description = 'urgent'): Promise<string> {
  const answer = await api.call(allowArtifact, {
    params: { env_name: env },
    body: { artifact_fingerprint: fingerprint(digit), artifact_name: 'app', description },
  });
  return answer.body.id;
}
const withdraw = (digit: string) =>
  api.call(withdrawWaiver, { params: { env_name: env, fingerprint: fingerprint(digit) } });

describe('where nothing was attached', () => {
  it('judges alone, on current evidence, and lists failures from the first snapshot on', async () => {
    await runs({ app: 'a' }, { app: 'a', job: 'c' }, { app: 'b', job: 'c' }, { app: 'a' });
    const first = dayOf(days - 4);
    const answer = await simulated({ policy_yaml: TESTED });
    expect(answer).toMatchObject({
      evaluated: 4,
      span: { from: dayOf(days - 30), to: dayOf(days) },
      environments: [{ environment: env, snapshots: 4, would_fail: 2, fails_now: 0 }],
      truncated: false,
      stopped_at: null,
    });
    expect(short(answer)).toEqual(['2-4 job: unknown > non-compliant', '3-4 app: unknown > non-compliant']);
    expect(answer.flips).toMatchObject([
      {
        environment: env,
        timestamp: first + DAY,
        artifact: { fingerprint: fingerprint('c') },
        evidence: 'present',
        reasons: [{ policy_name: 'simulated', policy_version: 0, resolution: 'no_provenance' }],
      },
      {
        timestamp: first + 2 * DAY,
        reasons: [{ resolution: 'missing_attestation', flow_name: 'web', message: expect.stringContaining('tests') }],
      },
    ]);
  });

  it('judges an artifact without a digest as unknown', async () => {
    env = `${env}-k8s`;
    await givenEnvironment(api, env, 'K8S');
    const pod = { podName: 'web-1', namespace: 'web', digests: { app: '' }, creationTimestamp: 1 };
    await api.call(reportK8s, { params: { env_name: env }, body: { artifacts: [pod] } });
    expect(short(await simulated({ policy_yaml: REQUIRES_PROVENANCE }))).toEqual(['1- app: unknown > non-compliant']);
  });

  it('reads current names and tags', async () => {
    await runs({ app: 'b' });
    const policy_yaml = attestationPolicy(`{ name: tests, type: generic, if: '\${{ environment.tags.tier == "1" }}' }`);
    expect(short(await simulated({ policy_yaml }))).toEqual([]);
    await api.call(patchTags, { params: { type: 'environment', id: env }, body: { set_tags: { tier: '1' } } });
    expect(short(await simulated({ policy_yaml }))).toEqual(['1- app: unknown > non-compliant']);
  });
});

describe('where policies judged', () => {
  it('judges on recorded evidence', async () => {
    const digit = 'd';
    await givenArtifact(api, 'web', digit, { trail_name: `d-${count}` });
    await givenPolicy(api, `lax-${count}`);
    await attach(`lax-${count}`);
    await runs({ app: digit });
    await attest(api, 'web', `d-${count}`, {
      attestation_name: 'tests',
      is_compliant: true,
      artifact_fingerprint: fingerprint(digit),
    });
    await runs({}, { app: digit });
    const answer = await simulated({ policy_yaml: TESTED });
    expect(short(answer)).toEqual(['1-2 app: compliant > non-compliant']);
    expect(answer.flips[0]?.evidence).toBe('recorded');
  });

  it('replaces the old decision, and leaves those of other policies', async () => {
    const [tested, reviewed] = [`tested-${count}`, `reviewed-${count}`];
    await givenPolicy(api, tested, TESTED);
    await givenPolicy(api, reviewed, REVIEWED);
    await attach(tested, reviewed);
    await runs({ app: 'a', job: 'b' });
    expect(short(await simulated({ policy_yaml: REQUIRES_PROVENANCE, replaces: reviewed }))).toEqual([
      '1- app: non-compliant > compliant',
    ]);
    expect(short(await simulated({ policy_yaml: REQUIRES_PROVENANCE, replaces: tested }))).toEqual([]);
    expect(short(await simulated({ policy_name: reviewed }))).toEqual([]);
  });

  it('judges together with the attached policies, or alone on request', async () => {
    const [tested, reviewed, lax] = [`tested-${count}`, `reviewed-${count}`, `lax-${count}`];
    await givenPolicy(api, tested, TESTED);
    await givenPolicy(api, reviewed, REVIEWED);
    await givenPolicy(api, lax);
    await attach(reviewed);
    await runs({ app: 'a', job: 'b' });
    for (const body of [{ policy_yaml: TESTED }, { policy_name: tested }, { policy_yaml: TESTED, replaces: lax }]) {
      const together = await simulated(body);
      expect(short(together)).toEqual([]);
      expect(together.environments).toEqual([{ environment: env, snapshots: 1, would_fail: 1, fails_now: 1 }]);
      const alone = await simulated({ ...body, alone: true });
      expect(short(alone)).toEqual(['1- app: non-compliant > compliant']);
      expect(alone.environments).toEqual([{ environment: env, snapshots: 1, would_fail: 1, fails_now: 1 }]);
    }
    await attach(tested);
    const { flips } = await simulated({ policy_yaml: REQUIRES_PROVENANCE, replaces: reviewed, alone: true });
    expect(flips.map(({ artifact }) => artifact.name)).toEqual(['app', 'job']);
  });

  it('lists its own reasons before those of the attached policies', async () => {
    const reviewed = `reviewed-${count}`;
    await givenPolicy(api, reviewed, REVIEWED);
    await attach(reviewed);
    await runs({ job: 'b' });
    const { flips } = await simulated({ policy_yaml: TESTED, without_allow_listing: await allow('b') });
    expect(flips).toMatchObject([
      {
        from: 'waived',
        reasons: [
          { policy_name: 'simulated', policy_version: 0 },
          { policy_name: reviewed, policy_version: 1 },
        ],
      },
    ]);
  });

  it('lists the reasons of the remaining policies as well', async () => {
    const [tested, lax] = [`tested-${count}`, `lax-${count}`];
    await givenPolicy(api, tested, TESTED);
    await givenPolicy(api, lax);
    await attach(tested, lax);
    await runs({ job: 'b' });
    const { flips } = await simulated({
      policy_yaml: REVIEWED,
      replaces: lax,
      without_allow_listing: await allow('b'),
    });
    expect(flips).toMatchObject([
      {
        from: 'waived',
        to: 'non-compliant',
        reasons: [
          { policy_name: lax, policy_version: 0, attestation_name: 'review' },
          { policy_name: tested, policy_version: 1, attestation_name: 'tests' },
        ],
      },
    ]);
  });

  it('uses a stored version, the newest unless another is requested', async () => {
    const name = `policy-${count}`;
    await givenPolicy(api, name, TESTED);
    await givenPolicy(api, name, REQUIRES_PROVENANCE);
    await attach(name);
    await runs({ app: 'b' });
    expect(short(await simulated({ policy_name: name }))).toEqual([]);
    const { flips } = await simulated({ policy_name: name, policy_version: 1 });
    expect(flips).toMatchObject([
      { from: 'compliant', to: 'non-compliant', reasons: [{ policy_name: name, policy_version: 1 }] },
    ]);
  });

  it('reports one flip when policies came and went meanwhile', async () => {
    await givenPolicy(api, `one-${count}`);
    await givenPolicy(api, `two-${count}`);
    await attach(`one-${count}`);
    await runs({ app: 'b' });
    await attach(`two-${count}`);
    nextDay();
    await api.call(detachPolicies, { params: { env_name: env }, body: { policy_names: [`one-${count}`] } });
    const answer = await simulated({ policy_yaml: TESTED });
    expect(short(answer)).toEqual(['1- app: compliant > non-compliant']);
    expect(answer).toMatchObject({ evaluated: 3, environments: [{ snapshots: 3, would_fail: 3, fails_now: 0 }] });
  });

  it('finds what would become compliant by evidence that arrived later', async () => {
    const digit = 'e';
    await givenPolicy(api, `tested-${count}`, TESTED);
    await attach(`tested-${count}`);
    await runs({ app: digit });
    await givenArtifact(api, 'web', digit, { trail_name: `e-${count}` });
    await reevaluateAll(api, env);
    expect(short(await simulated({ policy_yaml: REQUIRES_PROVENANCE, alone: true }))).toEqual([
      '2- app: non-compliant > compliant',
    ]);
    expect(short(await simulated({ policy_yaml: REQUIRES_PROVENANCE }))).toEqual([]);
  });
});

describe('waivers', () => {
  it('count unless they are excluded', async () => {
    const name = `tested-${count}`;
    await givenPolicy(api, name, TESTED);
    await attach(name);
    await runs({ app: 'b' });
    const id = await allow('b');
    nextDay();
    await withdraw('b');
    nextDay();
    const other = await allow('b', 'once more');
    expect(short(await simulated({ policy_name: name }))).toEqual([]);
    expect(short(await simulated({ without_allow_listing: id }))).toEqual(['2-3 app: waived > non-compliant']);
    expect(short(await simulated({ policy_name: name, without_allow_listing: [id, other] }))).toEqual([
      '2-3 app: waived > non-compliant',
      '4- app: waived > non-compliant',
    ]);
    const { flips } = await simulated({ without_allow_listing: other });
    expect(flips).toMatchObject([{ evidence: 'recorded', reasons: [{ policy_name: name }] }]);
    expect(short(await simulated({ policy_yaml: REQUIRES_PROVENANCE, replaces: name }))).toEqual([
      '1-2 app: non-compliant > compliant',
      '2-3 app: waived > compliant',
      '3-4 app: non-compliant > compliant',
      '4- app: waived > compliant',
    ]);
  });

  it('change nothing where nothing was judged', async () => {
    await runs({ app: 'b' });
    expect(short(await simulated({ without_allow_listing: await allow('b') }))).toEqual([]);
  });

  it('cover failures in the snapshots made while they were active', async () => {
    await givenPolicy(api, `lax-${count}`);
    await attach(`lax-${count}`);
    await runs({ app: 'b' });
    await allow('b');
    await runs({ app: 'b', job: 'a' });
    await withdraw('b');
    await runs({ app: 'b' });
    const answer = await simulated({ policy_yaml: TESTED });
    expect(short(answer)).toEqual([
      '1-2 app: compliant > non-compliant',
      '2-3 app: compliant > waived',
      '3- app: compliant > non-compliant',
    ]);
    expect(answer.environments).toEqual([{ environment: env, snapshots: 3, would_fail: 2, fails_now: 0 }]);
  });
});

describe('the span', () => {
  it('has the snapshots that were the latest at some time in it', async () => {
    await runs({ app: 'b' }, { app: 'c' }, { app: 'b' }, { app: 'c' });
    const first = days - 4;
    const within = async (from: number, to?: number) => {
      const { flips, environments } = await simulated({
        policy_yaml: TESTED,
        from_timestamp: dayOf(first + from),
        ...(to !== undefined && { to_timestamp: dayOf(first + to) }),
      });
      return [environments[0]?.snapshots, flips.map((flip) => `${flip.snapshot_index}-${flip.until_index ?? ''}`)];
    };
    expect(await within(0)).toEqual([4, ['1-2', '2-3', '3-4', '4-']]);
    expect(await within(1, 2)).toEqual([2, ['2-3', '3-']]);
    expect(await within(1.5, 1.7)).toEqual([1, ['2-']]);
    expect(await within(3.5)).toEqual([1, ['4-']]);
    expect(await within(-9, -5)).toEqual([0, []]);
    expect(await within(-9, 0.5)).toEqual([1, ['1-']]);
  });

  it('has all active physical environments by name, and named ones once each', async () => {
    const org = await api.givenOrg(`several-${count}`);
    const there = { params: { org: org.name }, key: org.keys.reader };
    for (const name of ['two', 'one']) {
      await givenEnvironment(api, name, 'server', {}, org);
      await givenRunning(api, name, { app: 'f' }, org);
    }
    await givenEnvironment(api, 'all', 'logical', { included_environments: ['one', 'two'] }, org);
    const all = await api.call(simulatePolicy, { ...there, body: { policy_yaml: REQUIRES_PROVENANCE } });
    expect(all.body.flips.map((flip) => flip.environment)).toEqual(['one', 'two']);
    await api.call(renameEnvironment, {
      params: { org: org.name, env_name: 'one' },
      key: org.keys.admin,
      body: { new_name: 'first' },
    });
    const named = await api.call(simulatePolicy, {
      ...there,
      body: { policy_yaml: REQUIRES_PROVENANCE, environments: ['two', 'one', 'first', 'two'] },
    });
    expect(named.body.environments.map(({ environment }) => environment)).toEqual(['two', 'first']);
    await sql`
      insert into environment (org_id, id, name, type, description, include_scaling, require_provenance, revision,
        created_at, created_by, last_modified_at)
      select ${org.id}, gen_random_uuid(), 'more-' || i, 'server', '', true, false, 1, now(), 'x', now()
      from generate_series(1, 99) as i`.execute(api.db);
    expect(await api.call(simulatePolicy, { ...there, body: { policy_yaml: REQUIRES_PROVENANCE } })).toMatchObject({
      status: 400,
      body: {
        errors: { environments: 'is required: the org has 101 environments, and at most 100 can be tested at once' },
      },
    });
  });
});

describe('lines', () => {
  const NDJSON = { headers: { accept: 'application/x-ndjson' } };

  it('report progress, and the last one has the result', async () => {
    await runs({ app: 'a' }, { app: 'b' });
    const { status, headers, body } = (await ask({ policy_yaml: TESTED }, NDJSON)) as Answer<unknown>;
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    const lines = String(body)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      { progress: { environment: env, done: 1, of: 2 } },
      { progress: { environment: env, done: 2, of: 2 } },
      await simulated({ policy_yaml: TESTED }),
    ]);
  });

  it('are not sent when the request is refused', async () => {
    expect(await ask({ policy_yaml: TESTED, environments: ['nowhere'] }, NDJSON)).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: { message: "Environment 'nowhere' does not exist in this org" },
    });
  });
});

describe('what is refused', () => {
  it.each([
    [{}, { policy_yaml: 'is required, or policy_name, or without_allow_listing' }],
    [{ policy_yaml: TESTED, policy_name: 'x' }, { policy_name: 'cannot be combined with policy_yaml' }],
    [{ policy_name: 'x', replaces: 'y' }, { replaces: 'requires policy_yaml' }],
    [{ policy_yaml: TESTED, policy_version: 1 }, { policy_version: 'requires policy_name' }],
    [
      { without_allow_listing: '00000000-0000-7000-8000-000000000000', alone: true },
      { alone: 'requires policy_yaml or policy_name' },
    ],
    [{ policy_yaml: TESTED, alone: 'yes' }, { alone: 'must be true or false' }],
    [{ policy_yaml: 7 }, { policy_yaml: 'must be text' }],
    [{ policy_yaml: TESTED, environments: [] }, { environments: expect.any(String) }],
    [{ policy_yaml: TESTED, environments: Array(101).fill('x') }, { environments: 'must have at most 100 items' }],
    [{ policy_yaml: TESTED, more: 1 }, { more: 'is unknown' }],
    [{ policy_yaml: TESTED, from_timestamp: -1 }, { from_timestamp: expect.any(String) }],
    [
      { policy_yaml: TESTED, from_timestamp: 1_800_000_000_000 },
      { from_timestamp: 'must be seconds since 1970, not milliseconds' },
    ],
    [
      { policy_yaml: TESTED, from_timestamp: 20, to_timestamp: 10 },
      { from_timestamp: 'must not be after to_timestamp (default: now)' },
    ],
    [
      { policy_yaml: TESTED, from_timestamp: 0, to_timestamp: 400 * DAY + 1 },
      { from_timestamp: 'must be at most 400 days before to_timestamp' },
    ],
    [{ without_allow_listing: 'x' }, { without_allow_listing: expect.stringContaining('id of a waiver') }],
    [{ without_allow_listing: [] }, { without_allow_listing: expect.any(String) }],
    [
      { policy_yaml: '_schema: https://example.com/policy/v1\nartefacts: {}\n' },
      { policy_yaml: expect.stringContaining('line 2, column 1') },
    ],
    [
      { policy_yaml: attestationPolicy('{ type: decision, for_control: NONE }') },
      { policy_yaml: expect.stringContaining("There is no control 'NONE' in this org.") },
    ],
  ])('%j, with the field', async (body, errors) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { errors } });
  });

  it('a logical environment, naming its members', async () => {
    await givenEnvironment(api, `all-${count}`, 'logical', { included_environments: [env] });
    expect(await ask({ policy_yaml: TESTED, environments: [env, `all-${count}`] })).toMatchObject({
      status: 400,
      body: { errors: { 'environments.1': expect.stringContaining(env) } },
    });
  });

  it('a text that is too large', async () => {
    expect(await ask({ policy_yaml: `${TESTED}#${'x'.repeat(64 * 1024)}` })).toMatchObject({ status: 413 });
  });

  it('what is unknown, archived, or of another org', async () => {
    await givenEnvironment(api, `theirs-${count}`, 'server', {}, foreign);
    await givenPolicy(api, `theirs-${count}`, TESTED, foreign);
    await givenPolicy(api, `gone-${count}`);
    await api.call(archivePolicy, { params: { name: `gone-${count}` } });
    await givenPolicy(api, `here-${count}`);
    const id = '00000000-0000-7000-8000-000000000000';
    for (const [body, missing] of [
      [{ policy_yaml: TESTED, environments: [`theirs-${count}`] }, `Environment 'theirs-${count}'`],
      [{ policy_name: `theirs-${count}` }, `Policy 'theirs-${count}'`],
      [{ policy_name: `gone-${count}` }, `Policy 'gone-${count}'`],
      [{ policy_name: `here-${count}`, policy_version: 2 }, `Policy version 'here-${count}@v2'`],
      [{ policy_yaml: TESTED, replaces: 'nobody' }, "Policy 'nobody'"],
      [{ without_allow_listing: id }, `Waiver '${id}'`],
    ] as const) {
      const message = `${missing} does not exist in this org`;
      expect(await ask(body)).toMatchObject({ status: 404, body: { message } });
    }
  });

  it.each<[Role, number]>([
    ['reader', 200],
    ['snapshotter', 200],
    ['member', 200],
    ['admin', 200],
  ])('the role %s is answered %i, and 403 in an org of others', async (role, status) => {
    expect((await ask({ policy_yaml: TESTED }, { key: api.org.keys[role] })).status).toBe(status);
    expect((await ask({ policy_yaml: TESTED }, { key: foreign.keys[role] })).status).toBe(403);
  });
});

it('writes nothing, and ignores an Idempotency-Key', async () => {
  await runs({ app: 'b' });
  const entries = (await api.journal()).length;
  const headers = { 'idempotency-key': `simulate-${count}` };
  const first = await ask({ policy_yaml: TESTED }, { headers });
  expect(await ask({ policy_yaml: TESTED }, { headers })).toMatchObject({ status: 200, body: first.body });
  expect((await ask({ policy_yaml: REVIEWED }, { headers })).status).toBe(200);
  expect(await api.journal()).toHaveLength(entries);
  const { rows } = await sql`select org_id from idempotent_reply where org_id = ${api.org.id}`.execute(api.db);
  expect(rows).toEqual([]);
});

it('gives concurrent requests the same result, and turns away too many', async () => {
  await runs({ app: 'b' }, { app: 'c' });
  const answers = await Promise.all(Array.from({ length: 24 }, () => ask({ policy_yaml: TESTED })));
  const served = answers.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThanOrEqual(2);
  for (const { body } of served) expect(body).toEqual(served[0]?.body);
  for (const answer of answers) {
    if (answer.status !== 200) expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  }
  expect((await ask({ policy_yaml: TESTED })).status).toBe(200);
});

it('is correct while reports arrive', async () => {
  const [one, other] = [{ app: 'b' }, { app: 'c' }];
  await givenRunning(api, env, one);
  const reporting = (async () => {
    for (let i = 0; i < 30; i++) await givenRunning(api, env, i % 2 ? one : other);
  })();
  for (let i = 0; i < 10; i++) {
    const { flips, environments } = await simulated({ policy_yaml: TESTED });
    const snapshots = environments[0]?.snapshots ?? 0;
    expect(flips.map((flip) => flip.snapshot_index)).toEqual(Array.from({ length: snapshots }, (_, at) => at + 1));
    expect(environments[0]?.would_fail).toBe(snapshots);
  }
  await reporting;
});

describe('the limits', () => {
  const ctx = () => ({ ...systemCtx(api.db, api.org.id, 'tests', noLog), now: () => api.clock.now });
  const limits = (more: Partial<Limits>): Limits => ({
    stopped: new AbortController().signal,
    deadline: new AbortController().signal,
    batchSize: 2,
    tell: async () => undefined,
    ...more,
  });
  const backTest = async (more: object = {}) =>
    readBackTest(ctx(), { policy_yaml: TESTED, environments: [env], ...more });

  it('stop it when time is up, and the result shows how far it got', async () => {
    await runs({ app: 'b' }, { app: 'c' }, { app: 'b' }, { app: 'c' }, { app: 'b' });
    const deadline = new AbortController();
    let calls = 0;
    const tell = async () => {
      calls += 1;
      if (calls === 2) deadline.abort();
    };
    const answer = await simulate(ctx(), await backTest(), limits({ deadline: deadline.signal, tell }));
    expect(answer).toMatchObject({
      truncated: true,
      stopped_at: { environment: env, snapshot_index: 3 },
      environments: [{ snapshots: 2, would_fail: 2 }],
    });
    expect(short(answer)).toEqual(['1-2 app: unknown > non-compliant', '2-3 app: unknown > non-compliant']);
    expect(await simulate(ctx(), await backTest(), limits({}))).toEqual(await simulated({ policy_yaml: TESTED }));
  });

  it('stop it at many flips, also between environments', async () => {
    const other = `${env}-z`;
    await givenEnvironment(api, other);
    await givenRunning(api, other, { app: 'b' });
    await runs({ app: 'b', job: 'b' });
    const both = await backTest({ environments: [env, other] });
    const answer = await simulate(ctx(), both, limits({ maxFlips: 2 }));
    expect(answer).toMatchObject({ truncated: true, stopped_at: { environment: other, snapshot_index: 1 } });
    expect(answer.environments.map(({ environment }) => environment)).toEqual([env]);
    expect(answer.flips).toHaveLength(2);
  });

  it('include the first snapshot in any case, however large it is', async () => {
    await runs({ app: 'b', job: 'b', more: 'b', most: 'b', last: 'b' }, { app: 'c' });
    const answer = await simulate(ctx(), await backTest(), limits({ maxFlips: 1 }));
    expect(answer).toMatchObject({ truncated: true, stopped_at: { snapshot_index: 2 } });
    expect(short(answer)).toEqual(
      ['app', 'job', 'last', 'more', 'most'].map((name) => `1-2 ${name}: unknown > non-compliant`),
    );
  });

  it('stop it when the client is gone', async () => {
    await runs({ app: 'b' }, { app: 'c' });
    const leaving = new AbortController();
    const tell = async () => leaving.abort(new Error('left'));
    await expect(simulate(ctx(), await backTest(), limits({ stopped: leaving.signal, tell }))).rejects.toThrow('left');
  });
});
