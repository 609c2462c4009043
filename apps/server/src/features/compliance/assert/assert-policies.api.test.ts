import { allowArtifact, assertArtifact, attestOverride, putEnvironment, withdrawWaiver } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy, policyText } from '../../../../test/given/policies.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';

const api = await startApi();
const foreign = await api.givenOrg('foreign');

interface Assertion {
  compliant: boolean;
  compliance: string;
  because: string;
  scope: string;
  environment: string | null;
  policy_evaluations: { policy_name: string; policy_version: number; status: string; rule_evaluations: unknown[] }[];
  flows: { flow: string }[];
  flow: string | null;
  allow_listing: { allowlist_id: string } | null;
  html_url: string;
}

const ask = (digit: string, query: Record<string, string | string[]>, key = api.org.keys.reader) =>
  api.call(assertArtifact, { params: { fingerprint: fingerprint(digit) }, query, key }) as Promise<Answer<unknown>>;
const answered = async (digit: string, query: Record<string, string | string[]>) => {
  const { status, body } = await ask(digit, query);
  if (status !== 200) throw new Error(`refused: ${JSON.stringify(body)}`);
  return body as Assertion;
};
const allow = (env: string, digit: string, description = 'Hotfix') =>
  api.call(allowArtifact, {
    params: { env_name: env },
    body: { artifact_fingerprint: fingerprint(digit), artifact_name: 'vendor/thing', description },
  });

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  await givenFlow(api, 'other', 'version: 1\n');
  await givenPolicy(api, 'tests', attestationPolicy('{ name: unit-tests, type: generic }'));
  await givenPolicy(api, 'provenance', policyText('provenance: { required: true }'));
  await givenPolicy(
    api,
    'vendor',
    policyText(`provenance: { required: true, exceptions: [{ if: '\${{ matches(artifact.name, "^vendor/") }}' }] }`),
  );
  for (const [env, policies] of Object.entries({
    prod: ['tests', 'provenance'],
    provenance: ['provenance'],
    vendor: ['vendor'],
  })) {
    await givenEnvironment(api, env);
    await givenAttached(api, env, policies);
  }
  await givenEnvironment(api, 'free');
  await givenArtifact(api, 'web', 'a', { trail_name: 't' });
});

describe('an assertion by the policies of an environment', () => {
  it('has the decision of each policy, with reasons', async () => {
    expect(await answered('a', { environment_name: 'prod' })).toMatchObject({
      compliant: false,
      compliance: 'non-compliant',
      because: expect.stringContaining("Policy 'tests' requires a compliant attestation named 'unit-tests'"),
      scope: 'environment',
      environment: 'prod',
      policy_evaluations: [
        { policy_name: 'provenance', policy_version: 1, status: 'COMPLIANT' },
        {
          policy_name: 'tests',
          policy_version: 1,
          status: 'NON-COMPLIANT',
          rule_evaluations: [
            {
              rule: { type: 'attestation', definition: { name: 'unit-tests' } },
              satisfied: false,
              ignored: false,
              resolutions: [{ type: 'missing_attestation', context: { flow_name: 'web' } }],
            },
          ],
        },
      ],
      flow: 'web',
      trail: 't',
      flows: [{ flow: 'web', trail: 't' }],
      allow_listing: null,
      html_url: expect.stringContaining('/flows/web/'),
    });
  });

  it('states each requirement once, then the problem in each flow', async () => {
    await givenArtifact(api, 'web', '7', { trail_name: 'seven' });
    await givenArtifact(api, 'other', '7', { trail_name: 'seven' });
    const { because } = await answered('7', { environment_name: 'prod' });
    expect(because).toBe(
      "Policy 'tests' requires a compliant attestation named 'unit-tests' of type generic. " +
        "In flow 'other', trail 'seven', there is none. In flow 'web', trail 'seven', there is none.",
    );
    expect((await answered('7', { policy_name: 'tests' })).because).toBe(because);
  });

  it('uses the evidence of all flows, whichever flow is named', async () => {
    await givenArtifact(api, 'web', 'b', { trail_name: 'b' });
    await givenArtifact(api, 'other', 'b', { trail_name: 'b' });
    const evidence = { attestation_name: 'unit-tests', artifact_fingerprint: fingerprint('b') };
    await attest(api, 'other', 'b', { ...evidence, is_compliant: true });
    expect(await answered('b', { environment_name: 'prod', flow_name: 'web' })).toMatchObject({
      compliant: true,
      compliance: 'compliant',
      because: expect.stringContaining("Policy 'provenance' (version 1) is satisfied."),
      flows: [{ flow: 'web' }],
    });
    await attest(api, 'web', 'b', { ...evidence, is_compliant: false });
    const narrowed = await answered('b', { environment_name: 'prod', flow_name: 'other' });
    expect(narrowed).toMatchObject({ compliant: false, flows: [{ flow: 'other', compliant: true }] });
    const overriding = await api.call(attestOverride, {
      params: { flow_name: 'web', trail_name: 'b' },
      body: { ...evidence, original_attestation_type: 'generic', new_compliance_status: true, reason: 'a known flake' },
    });
    expect(overriding.status).toBe(201);
    const both = await answered('b', { environment_name: 'prod' });
    expect(both).toMatchObject({ compliant: true, flows: { length: 2 } });
  });

  it('is unknown where no policy is attached', async () => {
    expect(await answered('a', { environment_name: 'free' })).toMatchObject({
      compliant: false,
      compliance: 'unknown',
      because: "No policy is attached to environment 'free', so nothing is judged.",
      scope: 'environment',
      environment: 'free',
      policy_evaluations: [],
    });
  });

  it('judges an artifact that runs there without provenance, under the name it runs under', async () => {
    expect(await ask('c', { environment_name: 'vendor' })).toMatchObject({ status: 404 });
    await givenRunning(api, 'vendor', { 'vendor/db': 'c', 'our/db': 'd' });
    expect(await answered('c', { environment_name: 'vendor' })).toMatchObject({
      compliant: true,
      flow: null,
      trail: null,
      compliance_status: null,
      flows: [],
      html_url: 'http://waymark.test/acme/environments/vendor',
    });
    expect(await answered('d', { environment_name: 'vendor' })).toMatchObject({
      compliant: false,
      because: expect.stringContaining('No flow has reported artifact dddddddddddd'),
    });
    await givenRunning(api, 'vendor', { 'vendor/db': 'c', 'our/db': 'c' });
    expect(await answered('c', { environment_name: 'vendor' })).toMatchObject({ compliant: false });
  });

  it('uses the name it was reported with where it does not run', async () => {
    await givenArtifact(api, 'web', 'e', { trail_name: 'e', filename: 'named' });
    await givenPolicy(
      api,
      'named',
      attestationPolicy(`{ name: x, type: generic, if: '\${{ artifact.name == "named" }}' }`),
    );
    await givenEnvironment(api, 'named');
    await givenAttached(api, 'named', ['named']);
    expect(await answered('e', { environment_name: 'named' })).toMatchObject({ compliant: false });
    await givenRunning(api, 'named', { 'another-name': 'e' });
    expect(await answered('e', { environment_name: 'named' })).toMatchObject({ compliant: true });
  });

  it('shows the waiver in use, also for an unreported artifact', async () => {
    expect(await ask('f', { environment_name: 'provenance' })).toMatchObject({ status: 404 });
    await allow('provenance', 'f');
    expect(await answered('f', { environment_name: 'provenance' })).toMatchObject({
      compliant: true,
      compliance: 'waived',
      because: 'Waived by acme-admin: Hotfix',
      policy_evaluations: [{ status: 'NON-COMPLIANT' }],
      allow_listing: {
        allowlist_id: expect.any(String),
        allowed_by_user_id: 'acme-admin',
        timestamp: api.clock.now.getTime() / 1000,
        description: 'Hotfix',
      },
    });
    expect(await ask('f', { environment_name: 'provenance', flow_name: 'web' })).toMatchObject({ status: 404 });
    await api.call(withdrawWaiver, { params: { env_name: 'provenance', fingerprint: fingerprint('f') } });
    expect(await ask('f', { environment_name: 'provenance' })).toMatchObject({ status: 404 });
  });

  it('shows a waiver that is not needed', async () => {
    await allow('provenance', 'a');
    expect(await answered('a', { environment_name: 'provenance' })).toMatchObject({
      compliance: 'compliant',
      allow_listing: { description: 'Hotfix' },
    });
  });
});

describe('an assertion by policies alone', () => {
  it('uses their newest versions', async () => {
    await givenPolicy(api, 'moving', attestationPolicy('{ name: unit-tests, type: generic }'));
    const query = { policy_name: 'moving' };
    expect(await answered('a', query)).toMatchObject({
      compliant: false,
      scope: 'policy',
      environment: null,
      policy_evaluations: [{ policy_name: 'moving', policy_version: 1, status: 'NON-COMPLIANT' }],
    });
    await givenPolicy(api, 'moving', policyText('provenance: { required: true }'));
    expect(await answered('a', query)).toMatchObject({
      compliant: true,
      policy_evaluations: [{ policy_version: 2, status: 'COMPLIANT' }],
    });
  });

  it('requires all of them, each once', async () => {
    const { policy_evaluations: evaluations, compliant } = await answered('a', {
      policy_name: ['provenance', 'tests', 'provenance'],
    });
    expect(evaluations.map((it) => [it.policy_name, it.status])).toEqual([
      ['provenance', 'COMPLIANT'],
      ['tests', 'NON-COMPLIANT'],
    ]);
    expect(compliant).toBe(false);
  });
});

describe('an assertion is refused', () => {
  it('with both an environment and policies', async () => {
    expect(await ask('a', { environment_name: 'prod', policy_name: 'tests' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.policy_name': 'cannot be combined with environment_name' } },
    });
  });

  it('with an invalid name', async () => {
    expect(await ask('a', { environment_name: '../x' })).toMatchObject({ status: 400 });
    expect(await ask('a', { policy_name: '$' })).toMatchObject({ status: 400 });
    const many = Array.from({ length: 101 }, (_, i) => `p-${i}`);
    expect(await ask('a', { policy_name: many })).toMatchObject({ status: 400 });
  });

  it('when something does not exist', async () => {
    for (const query of [
      { environment_name: 'nowhere' },
      { policy_name: 'nothing' },
      { policy_name: ['tests', 'nothing'] },
      { environment_name: 'prod', flow_name: 'other' },
      { policy_name: 'tests', flow_name: 'other' },
    ]) {
      expect((await ask('a', query)).status, JSON.stringify(query)).toBe(404);
    }
    expect(await ask('0', { policy_name: 'tests' })).toMatchObject({ status: 404 });
  });

  it('for a logical environment, with its members', async () => {
    const body = { name: 'whole', type: 'logical', included_environments: ['prod'] };
    await api.call(putEnvironment, { body: body as never });
    expect(await ask('a', { environment_name: 'whole' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.environment_name': expect.stringContaining('prod') } },
    });
  });

  it('for another org', async () => {
    const key = foreign.keys.admin;
    expect(await ask('a', { environment_name: 'prod' }, key)).toMatchObject({ status: 403 });
    await givenEnvironment(api, 'theirs', 'server', {}, foreign);
    expect(await ask('a', { environment_name: 'theirs' })).toMatchObject({ status: 404 });
  });
});
