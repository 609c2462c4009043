import {
  type ArtifactExplanation,
  allowArtifact,
  atLeast,
  attestDecision,
  attestJunit,
  createControl,
  detachPolicies,
  type EnvironmentExplanation,
  type Explanation,
  explainArtifact,
  explainEnvironment,
  explainSnapshot,
  putEnvironment,
  roles,
  withdrawWaiver,
} from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { attest, attestationIdOf, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy, policyText } from '../../../../test/given/policies.ts';
import { givenRunning, reevaluateAll } from '../../../../test/given/runs.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';

const api = await startApi();
const foreign = await api.givenOrg('foreign');
let count = 0;

async function given(...policies: string[]): Promise<string> {
  const name = `env-${++count}`;
  await givenEnvironment(api, name);
  if (policies.length > 0) await givenAttached(api, name, policies);
  return name;
}

type Query = Record<string, string>;

async function ok<Body>(answer: Promise<Answer<unknown>>): Promise<Body> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`refused: ${JSON.stringify(body)}`);
  return body as Body;
}

const asked = (env_name: string, query: Query = {}, key = api.org.keys.reader) =>
  api.call(explainEnvironment, { params: { env_name }, query, key }) as Promise<Answer<unknown>>;
const explain = (env: string, query: Query = {}) => ok<EnvironmentExplanation>(asked(env, query));
const askedOfSnapshot = (env_name: string, snapshot_expression: string, key = api.org.keys.reader) =>
  api.call(explainSnapshot, { params: { env_name, snapshot_expression }, key }) as Promise<Answer<unknown>>;
const explainStored = (env: string, expression: string) => ok<EnvironmentExplanation>(askedOfSnapshot(env, expression));
const askedOfArtifact = (flow_name: string, digit: string, query: Query = {}) =>
  api.call(explainArtifact, {
    params: { flow_name, fingerprint: fingerprint(digit) },
    query,
    key: api.org.keys.reader,
  }) as Promise<Answer<unknown>>;

const START = Date.UTC(2026, 10, 1, 12) / 1000;
function at(minute: number): number {
  const seconds = START + 60 * minute;
  api.clock.now = new Date(seconds * 1000);
  return seconds;
}

const test = (trail: string, digit: string, is_compliant: boolean) =>
  attest(api, 'web', trail, {
    attestation_name: 'unit-tests',
    artifact_fingerprint: fingerprint(digit),
    is_compliant,
  });

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  await givenFlow(api, 'strict');
  await givenPolicy(api, 'tests', attestationPolicy('{ name: unit-tests, type: generic }'));
  await givenPolicy(api, 'provenance', policyText('provenance: { required: true }'));
  for (const digit of ['a', 'b']) await givenArtifact(api, 'web', digit, { trail_name: digit });
  await test('a', 'a', true);
});

const shape = (node: Explanation): unknown[] => [node.kind, node.status, ...node.children.map(shape)];

describe('the explanation of an environment', () => {
  it('leads from the environment through artifact, policy and rule to the evidence', async () => {
    const env = await given('provenance', 'tests');
    const made = at(1);
    await givenRunning(api, env, { api: 'a', web: 'b' });
    at(5);
    const root = await explain(env);
    expect(root).toMatchObject({
      id: 'environment',
      status: 'NON-COMPLIANT',
      needs: "Every running artifact must have what policies 'provenance' and 'tests' require.",
      because: "1 of 2 artifacts is not compliant: 'web'.",
      since: made,
      judged_at: made,
      first_broke_at: made,
      first_broke_in: 1,
      environment: env,
      snapshot_index: 1,
      is_stored: false,
      artifact_count: 2,
      left_out: 0,
    });
    expect(shape(root)).toEqual([
      'environment',
      'NON-COMPLIANT',
      [
        'artifact',
        'NON-COMPLIANT',
        ['policy', 'COMPLIANT', ['rule', 'COMPLIANT', ['evidence', 'COMPLIANT']]],
        ['policy', 'NON-COMPLIANT', ['rule', 'NON-COMPLIANT', ['evidence', 'MISSING']]],
      ],
      [
        'artifact',
        'COMPLIANT',
        ['policy', 'COMPLIANT', ['rule', 'COMPLIANT', ['evidence', 'COMPLIANT']]],
        ['policy', 'COMPLIANT', ['rule', 'COMPLIANT', ['evidence', 'COMPLIANT']]],
      ],
    ]);
    const fix = "Report an attestation named 'unit-tests' of type generic on the artifact in trail 'b' of flow 'web'.";
    expect(root.actions).toEqual([
      { fix, artifacts: [{ name: 'web', fingerprint: fingerprint('b') }], artifact_count: 1, overridable: [] },
    ]);
    expect(root.fix).toBe(fix);
    const [web, fine] = root.children;
    expect(fine?.because).toBe("Policies 'provenance' and 'tests' are satisfied.");
    expect(web).toMatchObject({ id: 'environment/artifact:web@bbbbbbbbbbbb', fix, since: made });
    expect(web?.children[1]?.children[0]?.children[0]).toMatchObject({
      id: 'environment/artifact:web@bbbbbbbbbbbb/policy:tests/rule:1/flow:web',
      needs: "A compliant attestation named 'unit-tests' of type generic.",
      found: [],
      fix,
    });
  });

  it('is the same each time', async () => {
    const env = await given('provenance', 'tests');
    await givenRunning(api, env, { api: 'a', web: 'b' });
    expect(await explain(env)).toEqual(await explain(env));
    expect(JSON.stringify(await explainStored(env, '1'))).toBe(JSON.stringify(await explainStored(env, '1')));
  });

  it('is the same for stored and live verdicts, until something changes', async () => {
    const env = await given('tests');
    const made = at(1);
    await givenArtifact(api, 'web', 'c', { trail_name: 'c' });
    await test('c', 'c', true);
    await givenRunning(api, env, { web: 'c' });
    const { is_stored: wasLive, ...live } = await explain(env);
    const { is_stored: isStored, ...stored } = await explain(env, { snapshot: '-1' });
    expect([wasLive, isStored]).toEqual([false, true]);
    expect(stored).toEqual(live);
    expect(stored).toEqual((({ is_stored: _, ...rest }) => rest)(await explainStored(env, '~0')));
    expect(live).toMatchObject({ status: 'COMPLIANT', judged_at: made, since: made, first_broke_at: null });

    const broke = at(2);
    await test('c', 'c', false);
    expect(await explain(env)).toMatchObject({
      status: 'NON-COMPLIANT',
      judged_at: broke,
      first_broke_at: broke,
      first_broke_in: null,
      children: [{ status: 'NON-COMPLIANT', since: broke }],
    });
    expect(await explainStored(env, '1')).toMatchObject({ status: 'COMPLIANT', is_stored: true });
  });

  it('shows since when it has been broken without interruption', async () => {
    const env = await given('tests');
    const digits = { broken: 'd', fine: 'a' };
    await givenArtifact(api, 'web', 'd', { trail_name: 'd' });
    at(1);
    await givenRunning(api, env, { fine: 'a' });
    const broke = at(2);
    await givenRunning(api, env, digits);
    at(3);
    await givenRunning(api, env, { ...digits, another: 'a' });
    at(4);
    await test('d', 'd', false);
    await reevaluateAll(api, env);
    const last = at(5);
    await givenRunning(api, env, digits);
    at(9);
    const root = await explain(env);
    expect(root).toMatchObject({
      status: 'NON-COMPLIANT',
      judged_at: last,
      since: broke,
      first_broke_at: broke,
      first_broke_in: 2,
    });
    expect(root.children).toMatchObject([{ status: 'NON-COMPLIANT', since: broke }, { status: 'COMPLIANT' }]);
    expect(await explainStored(env, '3')).toMatchObject({ first_broke_in: 2, first_broke_at: broke });
    expect(await explainStored(env, '1')).toMatchObject({ status: 'COMPLIANT', first_broke_in: null });
    expect(await ok(askedOfArtifact('web', 'd', { environment_name: env }))).toMatchObject({
      first_broke_in: 2,
      first_broke_at: broke,
      since: broke,
    });
  });

  it('names who waived an artifact, and what would fail without the waiver', async () => {
    const env = await given('provenance');
    await givenRunning(api, env, { hotfix: 'e' });
    const params = { env_name: env };
    const body = { artifact_fingerprint: fingerprint('e'), artifact_name: 'hotfix', description: 'Outage' };
    await api.call(allowArtifact, { params, body });
    const waived = {
      status: 'COMPLIANT',
      because: 'The one artifact is compliant, by a waiver.',
      actions: [],
      children: [
        {
          status: 'WAIVED',
          fix: null,
          because: expect.stringMatching(
            /^Waived by acme-admin: Outage\. Without the waiver: Policy 'provenance' requires provenance\. No flow has reported /,
          ),
          children: [{ status: 'NON-COMPLIANT' }],
        },
      ],
    };
    expect(await explain(env)).toMatchObject(waived);
    await api.call(withdrawWaiver, { params: { ...params, fingerprint: fingerprint('e') } });
    expect(await explain(env)).toMatchObject({ status: 'NON-COMPLIANT', actions: { length: 1 } });
    expect(await explainStored(env, '2')).toMatchObject(waived);
  });

  it('says that nothing is judged without policies', async () => {
    const env = await given('tests');
    await givenRunning(api, env, { web: 'b' });
    await api.call(detachPolicies, { params: { env_name: env }, body: { policy_names: ['tests'] } });
    const unknown = {
      status: 'UNKNOWN',
      because: `No policy is attached to environment '${env}', so nothing is judged.`,
      fix: `Attach a policy to environment '${env}'.`,
      first_broke_at: null,
      children: [{ status: 'UNKNOWN', children: [] }],
    };
    expect(await explain(env)).toMatchObject(unknown);
    expect(await explainStored(env, '2')).toMatchObject(unknown);
    expect(await explainStored(env, '1')).toMatchObject({ status: 'NON-COMPLIANT' });
  });

  it('says when nothing was reported, or nothing runs', async () => {
    const env = await given('tests');
    const never = {
      status: 'UNKNOWN',
      because: 'No report has arrived yet.',
      since: null,
      judged_at: null,
      first_broke_at: null,
      snapshot_index: null,
      children: [],
      actions: [],
    };
    expect(await explain(env)).toMatchObject({ ...never, fix: `Report what runs in environment '${env}'.` });
    const free = await given();
    const fix = `Attach a policy to environment '${free}'. Report what runs in environment '${free}'.`;
    expect(await explain(free)).toMatchObject({ ...never, fix });
    await givenRunning(api, env, { web: 'a' });
    await givenRunning(api, env, {});
    expect(await explain(env)).toMatchObject({ status: 'COMPLIANT', because: 'Nothing is running, so nothing fails.' });
  });

  it('states requirement and problem for artifact, policy and rule', async () => {
    const env = await given('provenance', 'tests');
    await givenRunning(api, env, { web: 'b' });
    const because =
      "Policy 'tests' requires a compliant attestation named 'unit-tests' of type generic. " +
      "In flow 'web', trail 'b', there is none.";
    const report = { kind: 'artifact', name: fingerprint('b'), type: null, is_compliant: null, at: null };
    const provenance = { found: [report], because: "The artifact was reported to flow 'web', in trail 'b'." };
    expect((await explain(env)).children).toMatchObject([
      {
        because,
        children: [
          { children: [{ ...provenance, children: [provenance] }] },
          { because, children: [{ because, children: [{ because }] }] },
        ],
      },
    ]);
  });

  it('asks for one fix when a trail and a rule complain about the same evidence', async () => {
    await givenPolicy(api, 'trails', policyText('trail-compliance: { required: true }'));
    await givenPolicy(api, 'junit', attestationPolicy('{ type: junit }'));
    const env = await given('trails', 'junit');
    await givenArtifact(api, 'web', '2', { trail_name: 'r2' });
    const reported = await api.call(attestJunit, {
      params: { flow_name: 'web', trail_name: 'r2' },
      body: {
        ...{ attestation_name: 'ut', artifact_fingerprint: fingerprint('2') },
        junit_results: [
          { name: 'all', total: 9, failures: 1, errors: 0, skipped: 0, duration: 1, timestamp: 1_793_520_000 },
        ],
      },
    });
    expect(reported.status).toBe(201);
    const overridable = [attestationIdOf(reported)];
    await givenRunning(api, env, { web: '2' });
    const fix =
      "Run and fix the tests and report 'ut' again in trail 'r2' of flow 'web', or override it with a reason.";
    for (const query of [{}, { snapshot: '-1' }]) {
      const root = await explain(env, query);
      expect(root.actions).toMatchObject([{ fix, artifact_count: 1, overridable }]);
      expect(root).toMatchObject({ fix, children: [{ fix }] });
    }
    const inTrail = await ok<ArtifactExplanation>(askedOfArtifact('web', '2'));
    expect(inTrail.actions).toMatchObject([{ fix: expect.stringContaining('or override it'), overridable }]);
  });

  it('of a large environment shows what fails, and all of it on request', async () => {
    const env = await given('tests');
    const many = Array.from({ length: 120 }, (_, i) => [`job-${String(i).padStart(3, '0')}`, i < 2 ? 'b' : 'a']);
    await givenRunning(api, env, Object.fromEntries(many) as Record<string, string>);
    for (const query of [{}, { snapshot: '1' }]) {
      const root = await explain(env, query);
      expect(root).toMatchObject({ artifact_count: 120, left_out: 118, children: { length: 2 } });
      expect(root.actions).toMatchObject([
        { artifact_count: 2, artifacts: [{ name: 'job-000' }, { name: 'job-001' }] },
      ]);
      const whole = await explain(env, { ...query, all: 'true' });
      expect(whole).toMatchObject({ left_out: 0, children: { length: 120 } });
      const names = whole.children.map(({ id }) => id.slice('environment/artifact:'.length, -13));
      expect(names).toEqual(many.map(([name]) => name));
    }
  });

  it('names the control of a decision', async () => {
    await api.call(createControl, { body: { identifier: 'SDLC-7', name: 'Release' } });
    await givenPolicy(api, 'decided', attestationPolicy('{ type: decision, for_control: SDLC-7 }'));
    const env = await given('decided');
    await givenRunning(api, env, { web: 'b' });
    await api.call(attestDecision, {
      params: { flow_name: 'web', trail_name: 'b' },
      body: {
        ...{ attestation_name: 'release', artifact_fingerprint: fingerprint('b') },
        ...{ control: 'SDLC-7', attestation_data: { is_compliant: true } },
      },
    });
    const [artifact] = (await explain(env)).children;
    expect(artifact?.children[0]?.children[0]).toMatchObject({
      needs: "A compliant decision on control 'SDLC-7'.",
      found: [{ kind: 'attestation', name: 'release', is_compliant: true, control: 'SDLC-7' }],
    });
  });
});

describe('the explanation of an artifact', () => {
  it('is about its trail', async () => {
    at(20);
    await givenArtifact(api, 'strict', '1', { trail_name: 's', template_reference_name: 'backend' });
    expect(await ok(askedOfArtifact('strict', '1'))).toMatchObject({
      kind: 'artifact',
      status: 'INCOMPLETE',
      environment: null,
      first_broke_at: null,
      first_broke_in: null,
      judged_at: expect.any(Number),
      actions: { length: 3 },
    });
    const broke = at(21);
    await attest(api, 'strict', 's', {
      attestation_name: 'extra',
      is_compliant: false,
      artifact_fingerprint: fingerprint('1'),
    });
    expect(await ok(askedOfArtifact('strict', '1'))).toMatchObject({ status: 'NON-COMPLIANT', first_broke_at: broke });
  });

  it('in an environment is about its policies, and then about its trail', async () => {
    const env = await given('provenance', 'tests');
    const root = await ok<ArtifactExplanation>(askedOfArtifact('web', 'b', { environment_name: env }));
    expect(root).toMatchObject({
      id: 'artifact:app-b.tgz@bbbbbbbbbbbb',
      status: 'NON-COMPLIANT',
      environment: env,
      first_broke_in: null,
      actions: { length: 1 },
      children: [
        { id: 'artifact:app-b.tgz@bbbbbbbbbbbb/policy:provenance' },
        { status: 'NON-COMPLIANT' },
        { kind: 'artifact' },
      ],
    });
    expect(root.children[2]?.id).toMatch(/^trail\//);
    expect(await ok(askedOfArtifact('web', 'a', { environment_name: env }))).toMatchObject({
      status: 'COMPLIANT',
      first_broke_at: null,
      actions: [],
    });
  });
});

describe('an explanation is refused', () => {
  it('for what does not exist', async () => {
    const env = await given('tests');
    await givenRunning(api, env, { web: 'a' });
    for (const answer of [
      asked('nowhere'),
      asked(env, { snapshot: '7' }),
      askedOfSnapshot(env, '7'),
      askedOfSnapshot('nowhere', '1'),
      askedOfSnapshot(await given(), '1'),
      askedOfArtifact('web', 'f'),
      askedOfArtifact('nowhere', 'a'),
      askedOfArtifact('web', 'a', { environment_name: 'nowhere' }),
      askedOfArtifact('web', 'a', { trail: 'nowhere' }),
    ]) {
      expect((await answer).status).toBe(404);
    }
  });

  it('with invalid parameters', async () => {
    const env = await given();
    for (const answer of [
      asked(env, { snapshot: 'yesterday' }),
      asked(env, { all: 'maybe' }),
      asked(env, { other: 'x' }),
      askedOfSnapshot(env, '@{x}'),
      askedOfArtifact('web', 'a', { environment_name: '' }),
    ]) {
      expect((await answer).status).toBe(400);
    }
  });

  it('of a logical environment, with its members', async () => {
    const env = await given();
    const body = { name: `whole-${env}`, type: 'logical', included_environments: [env] };
    await api.call(putEnvironment, { body: body as never });
    for (const answer of [
      asked(body.name),
      askedOfSnapshot(body.name, '1'),
      askedOfArtifact('web', 'a', { environment_name: body.name }),
    ]) {
      const refused = await answer;
      expect(refused.status).toBe(400);
      expect(JSON.stringify(refused.body)).toContain(env);
    }
  });

  it('to another org, and without read access', async () => {
    const env = await given('tests');
    await givenRunning(api, env, { web: 'a' });
    for (const role of roles) {
      const status = atLeast(role, 'reader') ? 200 : 403;
      expect((await asked(env, {}, api.org.keys[role])).status).toBe(status);
      expect((await askedOfSnapshot(env, '1', api.org.keys[role])).status).toBe(status);
      expect((await asked(env, {}, foreign.keys[role])).status).toBe(403);
      expect((await askedOfSnapshot(env, '1', foreign.keys[role])).status).toBe(403);
    }
  });
});
