import { hash, randomUUID } from 'node:crypto';
import {
  allowArtifact,
  archiveFlow,
  attestJira,
  attestOverride,
  detachPolicies,
  getSnapshot,
  patchTags,
  putPolicy,
  renameEnvironment,
  reportArtifact,
  reportServer,
  type Snapshot,
  withdrawWaiver,
} from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { artifact, attest, givenFlow } from '../../../test/given/evidence.ts';
import {
  givenAttached,
  givenPolicy,
  policyText,
  REQUIRES_PROVENANCE,
  REQUIRES_TESTS,
} from '../../../test/given/policies.ts';
import { givenReevaluations } from '../../../test/given/worker.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const { settle, takeQueued } = await givenReevaluations(api);

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1');
  await givenFlow(api, 'mobile', 'version: 1');
  await givenPolicy(api, 'provenance');
  await givenPolicy(api, 'tests', REQUIRES_TESTS);
});

const fingerprintOf = (what: string) => hash('sha256', what);

async function given(policies: string[] = []): Promise<string> {
  const name = `e-${randomUUID()}`;
  await givenEnvironment(api, name);
  if (policies.length > 0) await givenAttached(api, name, policies);
  return name;
}

async function run(environment: string, digests: Record<string, string>): Promise<void> {
  const artifacts = Object.entries(digests).map(([name, digest]) => ({
    digests: { [name]: digest },
    creationTimestamp: 1,
  }));
  const answer = await api.call(reportServer, { params: { env_name: environment }, body: { artifacts } });
  if (answer.status !== 200) throw new Error(`the report was not taken: ${JSON.stringify(answer.body)}`);
}

async function built(fingerprint: string, flow = 'web', more: object = {}): Promise<void> {
  const body = { ...artifact('a'), fingerprint, trail_name: fingerprint.slice(0, 12), ...more };
  const answer = await api.call(reportArtifact, { params: { flow_name: flow }, body });
  if (answer.status !== 201) throw new Error(`the artifact was not reported: ${JSON.stringify(answer.body)}`);
}

async function tested(fingerprint: string, is_compliant: boolean, flow = 'web'): Promise<void> {
  const answer = await attest(api, flow, fingerprint.slice(0, 12), {
    ...{ attestation_name: 'unit-tests', is_compliant, artifact_fingerprint: fingerprint },
  });
  if (answer.status !== 201) throw new Error(`the attestation was not taken: ${JSON.stringify(answer.body)}`);
}

async function snapshot(environment: string, expression = '-1'): Promise<Snapshot> {
  const params = { env_name: environment, snapshot_expression: expression };
  const answer = (await api.call(getSnapshot, { params })) as Answer<Snapshot>;
  if (answer.status !== 200) throw new Error(`there is no such snapshot: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** One line per snapshot: its trigger, its verdict, and what happened to each artifact. */
async function recordedSnapshots(environment: string): Promise<string[]> {
  const { latest_snapshot_index: latest } = await environmentOf(api, environment);
  const lines = [];
  for (let index = 1; index <= latest; index++) {
    const { trigger, compliance, artifacts } = await snapshot(environment, String(index));
    lines.push([trigger, compliance, ...artifacts.map(({ annotation }) => annotation.type)].join(' '));
  }
  return lines;
}

describe('a report', () => {
  it('is judged by the attached policies, with reasons', async () => {
    const [good, bad] = [fingerprintOf('good'), fingerprintOf('bad')];
    await built(good);
    await tested(good, true);
    const environment = await given(['provenance', 'tests']);
    await run(environment, { bad, good });

    const { artifacts, ...latest } = await snapshot(environment);
    expect(latest).toMatchObject({
      compliant: false,
      compliance: 'non-compliant',
      artifact_compliance_count: { true: 1, false: 1, null: 0 },
      applied_policies: [
        {
          ...{ id: expect.any(String), name: 'provenance', version: 1, failing_artifacts: [bad] },
          policy_dump: {
            schema_version: 'v1',
            artifacts: { provenance: { required: true, exceptions: [] }, trail_compliance: { required: false } },
          },
        },
        {
          ...{ name: 'tests', version: 1, failing_artifacts: [bad] },
          policy_dump: { artifacts: { attestations: [{ name: 'unit-tests', type: 'generic', if_condition: null }] } },
        },
      ],
    });
    expect(artifacts).toMatchObject([
      {
        name: 'bad',
        compliant: false,
        annotation: { type: 'started-non-compliant' },
        policy_decisions: [
          {
            policy_name: 'provenance',
            policy_version: 1,
            status: 'NON-COMPLIANT',
            rule_evaluations: [{ satisfied: false }],
          },
          { policy_name: 'tests', status: 'NON-COMPLIANT' },
        ],
        reasons_for_incompliance: [
          { policy_name: 'provenance', policy_version: 1, resolution: 'no_provenance', message: expect.any(String) },
          { policy_name: 'tests' },
        ],
      },
      {
        name: 'good',
        compliant: true,
        compliance: 'compliant',
        annotation: { type: 'started-compliant' },
        policy_decisions: [{ status: 'COMPLIANT' }, { status: 'COMPLIANT' }],
        reasons_for_incompliance: [],
        flows: [{ flow_name: 'web', artifact_compliance_in_flow: true, flow_reasons_for_non_compliance: [] }],
      },
    ]);
    expect(await environmentOf(api, environment)).toMatchObject({ state: false, compliance: 'non-compliant' });
  });

  it('without policies judges nothing', async () => {
    const environment = await given();
    await run(environment, { app: fingerprintOf('unjudged') });
    expect(await snapshot(environment)).toMatchObject({
      compliant: false,
      compliance: 'unknown',
      artifact_compliance_count: { null: 1 },
      applied_policies: [],
      artifacts: [{ compliance: 'unknown', policy_decisions: [] }],
    });
    expect(await environmentOf(api, environment)).toMatchObject({ state: null });
  });

  it('of nothing is compliant where there are policies', async () => {
    const environment = await given(['tests']);
    await run(environment, {});
    expect(await snapshot(environment)).toMatchObject({ compliant: true, compliance: 'compliant', artifacts: [] });
  });

  it('is compliant again when what failed has exited', async () => {
    const environment = await given(['provenance']);
    await run(environment, { app: fingerprintOf('leaves') });
    await run(environment, {});
    expect(await recordedSnapshots(environment)).toEqual([
      'report non-compliant started-non-compliant',
      'report compliant exited',
    ]);
  });

  it('judges an unidentified artifact as having no provenance', async () => {
    const environment = `e-${randomUUID()}`;
    await givenEnvironment(api, environment, 'cloud-run');
    await givenAttached(api, environment, ['provenance']);
    const artifacts = [{ digests: { app: '' }, creationTimestamp: 1, kind: 'service' }];
    await api.inject({
      method: 'PUT',
      url: `/api/v2/environments/${api.org.name}/${environment}/report/cloud-run`,
      headers: { authorization: `Bearer ${api.org.keys.snapshotter}` },
      payload: { artifacts },
    });
    expect(await snapshot(environment)).toMatchObject({
      compliance: 'non-compliant',
      artifacts: [{ fingerprint: '', reasons_for_incompliance: [{ resolution: 'no_provenance' }] }],
    });
  });
});

describe('what changes a verdict later', () => {
  it('late evidence, at once and only where the artifact runs', async () => {
    const fingerprint = fingerprintOf('late');
    await built(fingerprint);
    const [environment, other] = [await given(['tests']), await given(['tests'])];
    await run(environment, { app: fingerprint });
    await run(other, { app: fingerprintOf('another') });
    await settle();
    await tested(fingerprint, false);
    await settle();
    await tested(fingerprint, true);
    await settle();
    await tested(fingerprint, true);
    await settle();

    expect(await recordedSnapshots(environment)).toEqual([
      'report non-compliant started-non-compliant',
      'evidence compliant became-compliant',
    ]);
    expect(await recordedSnapshots(other)).toEqual(['report non-compliant started-non-compliant']);
    expect((await snapshot(environment, '1')).artifacts[0]?.reasons_for_incompliance).toMatchObject([
      { resolution: 'missing_attestation' },
    ]);
    const recorded = (await api.journal()).filter(({ type }) => type === 'snapshot.recorded');
    expect(recorded.at(-1)?.payload).toMatchObject({
      trigger: 'evidence',
      compliance: { was: 'non-compliant', now: 'compliant' },
      policies: [{ name: 'tests', version: 1 }],
      judged: [{ name: 'app', fingerprint, was: 'non-compliant', now: 'compliant' }],
    });
  });

  it('is shown for each flow, also when the artifact was reported again meanwhile', async () => {
    const fingerprint = fingerprintOf('again');
    await built(fingerprint);
    const environment = await given(['tests']);
    await run(environment, { app: fingerprint });
    await built(fingerprint);
    await tested(fingerprint, true);
    await settle();
    expect((await snapshot(environment)).artifacts[0]?.flows).toMatchObject([
      { flow_name: 'web', artifact_compliance_in_flow: true, compliance: 'compliant' },
    ]);
  });

  it('an override', async () => {
    const fingerprint = fingerprintOf('overridden');
    await built(fingerprint);
    await tested(fingerprint, false);
    const environment = await given(['tests']);
    await run(environment, { app: fingerprint });
    const answer = await api.call(attestOverride, {
      params: { flow_name: 'web', trail_name: fingerprint.slice(0, 12) },
      body: {
        ...{ attestation_name: 'unit-tests', artifact_fingerprint: fingerprint, original_attestation_type: 'generic' },
        ...{ new_compliance_status: true, reason: 'a known flake' },
      },
    });
    expect(answer.status).toBe(201);
    await settle();
    expect(await recordedSnapshots(environment)).toEqual([
      'report non-compliant started-non-compliant',
      'evidence compliant became-compliant',
    ]);
  });

  it('a report of the artifact', async () => {
    const fingerprint = fingerprintOf('found');
    const environment = await given(['provenance']);
    await run(environment, { app: fingerprint });
    await built(fingerprint);
    await settle();
    expect(await recordedSnapshots(environment)).toEqual([
      'report non-compliant started-non-compliant',
      'provenance compliant became-compliant',
    ]);
  });

  it('a failure in another flow, and its repair', async () => {
    const fingerprint = fingerprintOf('in two flows');
    await built(fingerprint);
    await tested(fingerprint, true);
    const environment = await given(['tests']);
    await run(environment, { app: fingerprint });
    await built(fingerprint, 'mobile');
    await settle();
    await tested(fingerprint, false, 'mobile');
    await settle();
    await tested(fingerprint, true, 'mobile');
    await settle();
    expect(await recordedSnapshots(environment)).toEqual([
      'report compliant started-compliant',
      'provenance compliant updated-provenance',
      'evidence non-compliant became-non-compliant',
      'evidence compliant became-compliant',
    ]);
  });

  it('a tag of the flow that a policy reads, and no other', async () => {
    await givenFlow(api, 'risky', 'version: 1');
    const fingerprint = fingerprintOf('risky');
    await built(fingerprint, 'risky');
    await givenPolicy(
      api,
      'when-risky',
      policyText(`attestations:\n  - { name: unit-tests, type: generic, if: '\${{ flow.tags.risk == "high" }}' }`),
    );
    const environment = await given(['when-risky']);
    await run(environment, { app: fingerprint });
    await settle();
    const tag = (set_tags: Record<string, string>) =>
      api.call(patchTags, { params: { type: 'flow', id: 'risky' }, body: { set_tags, remove_tags: [] } });
    expect((await tag({ owner: 'me' })).status).toBe(200);
    await settle();
    await tag({ risk: 'high' });
    await settle();
    await tag({ risk: 'low' });
    await settle();
    expect(await recordedSnapshots(environment)).toEqual([
      'report compliant started-compliant',
      'context non-compliant became-non-compliant',
      'context compliant became-compliant',
    ]);
  });

  it('the name of the environment', async () => {
    const environment = await given();
    await givenPolicy(
      api,
      `for-${environment}`,
      policyText(`attestations:\n  - { name: x, type: generic, if: '\${{ environment.name == "${environment}" }}' }`),
    );
    await run(environment, { app: fingerprintOf('renamed') });
    await givenAttached(api, environment, [`for-${environment}`]);
    const new_name = `${environment}-new`;
    await api.call(renameEnvironment, { params: { env_name: environment }, body: { new_name } });
    await settle();
    expect(await recordedSnapshots(new_name)).toEqual([
      'report unknown started-unknown',
      'policy non-compliant became-non-compliant',
      'context compliant became-compliant',
    ]);
  });

  it('is not that the flow is archived: its evidence still counts', async () => {
    await givenFlow(api, 'ended', 'version: 1');
    const fingerprint = fingerprintOf('ended');
    await built(fingerprint, 'ended');
    const environment = await given(['provenance']);
    await run(environment, { app: fingerprint });
    await api.call(archiveFlow, { params: { flow_name: 'ended' } });
    await settle();
    expect(await recordedSnapshots(environment)).toEqual(['report compliant started-compliant']);
  });
});

describe('policies', () => {
  it('make one snapshot when they are attached, versioned and detached', async () => {
    const fingerprint = fingerprintOf('policed');
    await built(fingerprint);
    const name = `p-${randomUUID()}`;
    await givenPolicy(api, name, REQUIRES_PROVENANCE);
    const environment = await given();
    await run(environment, { app: fingerprint });
    await givenAttached(api, environment, [name]);
    await givenAttached(api, environment, [name]);
    await givenPolicy(api, name, REQUIRES_TESTS);
    await settle();
    await api.call(putPolicy, { params: { name }, body: { policy_yaml: REQUIRES_TESTS, description: 'other' } });
    await settle();
    await api.call(detachPolicies, { params: { env_name: environment }, body: { policy_names: [name] } });
    expect(await recordedSnapshots(environment)).toEqual([
      'report unknown started-unknown',
      'policy compliant became-compliant',
      'policy non-compliant became-non-compliant',
      'policy unknown unchanged',
    ]);
    expect((await snapshot(environment, '2')).applied_policies).toMatchObject([{ name, version: 1 }]);
    expect((await snapshot(environment, '3')).applied_policies).toMatchObject([{ name, version: 2 }]);
    expect((await snapshot(environment, '4')).applied_policies).toEqual([]);
  });

  it('make none for an environment that never reported', async () => {
    const environment = await given(['tests']);
    expect(await environmentOf(api, environment)).toMatchObject({ latest_snapshot_index: 0, state: null });
  });

  it('with the same result change what is shown, and are no event', async () => {
    const fingerprint = fingerprintOf('the same');
    await built(fingerprint);
    await tested(fingerprint, true);
    const environment = await given(['provenance']);
    await run(environment, { app: fingerprint });
    await givenAttached(api, environment, ['tests']);
    expect(await recordedSnapshots(environment)).toEqual([
      'report compliant started-compliant',
      'policy compliant unchanged',
    ]);
    expect((await snapshot(environment)).artifacts[0]?.policy_decisions).toHaveLength(2);
    expect((await snapshot(environment, '1')).artifacts[0]?.policy_decisions).toHaveLength(1);
  });

  it('that changed just before a report get a snapshot of their own before it', async () => {
    const name = `p-${randomUUID()}`;
    await givenPolicy(api, name, REQUIRES_PROVENANCE);
    const environment = await given([name]);
    await run(environment, {});
    await api.call(putPolicy, { params: { name }, body: { policy_yaml: REQUIRES_TESTS } });
    await run(environment, { app: fingerprintOf('just before') });
    await settle();
    expect(await recordedSnapshots(environment)).toEqual([
      'report compliant',
      'policy compliant',
      'report non-compliant started-non-compliant',
    ]);
  });
});

describe('a waiver', () => {
  const allow = (environment: string, fingerprint: string, more: object = {}) =>
    api.call(allowArtifact, {
      params: { env_name: environment },
      body: { artifact_fingerprint: fingerprint, artifact_name: 'app', description: 'from a vendor', ...more },
    });

  it('lets an artifact pass until it is withdrawn', async () => {
    const fingerprint = fingerprintOf('allowed');
    const environment = await given(['provenance']);
    await run(environment, { app: fingerprint });
    expect((await allow(environment, fingerprint)).status).toBe(201);
    await api.call(withdrawWaiver, { params: { env_name: environment, fingerprint } });
    expect(await recordedSnapshots(environment)).toEqual([
      'report non-compliant started-non-compliant',
      'allow-list compliant became-compliant',
      'allow-list non-compliant became-non-compliant',
    ]);
    expect((await snapshot(environment, '2')).artifacts).toMatchObject([
      {
        ...{ compliant: true, compliance: 'waived', policy_decisions: [{ status: 'NON-COMPLIANT' }] },
        allow_listing: { allowed_by_user_id: 'acme-admin', description: 'from a vendor', expires_at: null },
      },
    ]);
    expect((await snapshot(environment, '3')).artifacts).toMatchObject([{ allow_listing: null }]);
  });

  it('counts for runs that start later', async () => {
    const fingerprint = fingerprintOf('allowed before');
    const environment = await given(['provenance']);
    await allow(environment, fingerprint);
    await run(environment, { app: fingerprint });
    expect((await snapshot(environment)).artifacts).toMatchObject([{ compliance: 'waived' }]);
  });
});

describe('no silent green', () => {
  it('an artifact reported under another name is still judged under the first', async () => {
    await givenFlow(
      api,
      'named',
      'version: 1\ntrail:\n  artifacts:\n    - name: web\n      attestations:\n        - name: scan\n          type: generic\n',
    );
    const fingerprint = fingerprintOf('two names');
    const trail_name = 'one-trail';
    await built(fingerprint, 'named', { trail_name, template_reference_name: 'web' });
    const name = `p-${randomUUID()}`;
    await givenPolicy(api, name, policyText('trail-compliance: { required: true }'));
    const environment = await given([name]);
    await run(environment, { app: fingerprint });
    await built(fingerprint, 'named', { trail_name, template_reference_name: 'other' });
    await settle();
    expect((await snapshot(environment)).compliance).toBe('non-compliant');
  });

  it('a failure in any of very many flows counts', async () => {
    const fingerprint = fingerprintOf('in many flows');
    for (let i = 0; i <= 101; i++) {
      await givenFlow(api, `many-${i}`, 'version: 1');
      await built(fingerprint, `many-${i}`);
    }
    await tested(fingerprint, true, 'many-0');
    const environment = await given(['tests']);
    await run(environment, { app: fingerprint });
    expect((await snapshot(environment)).compliance).toBe('compliant');
    await tested(fingerprint, false, 'many-101');
    await settle();
    expect(await snapshot(environment)).toMatchObject({ compliance: 'non-compliant', trigger: 'evidence' });
  });

  it('evidence of another type under the same name hides no failure', async () => {
    await givenFlow(api, 'any', 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: "*"\n');
    const fingerprint = fingerprintOf('hidden');
    await built(fingerprint, 'any');
    const trail = fingerprint.slice(0, 12);
    const failing = {
      params: { flow_name: 'any', trail_name: trail },
      body: { attestation_name: 'review', jira_results: [] },
    };
    expect((await api.call(attestJira, failing)).status).toBe(201);
    await attest(api, 'any', trail, { attestation_name: 'review', is_compliant: true });
    const name = `p-${randomUUID()}`;
    await givenPolicy(api, name, policyText('attestations:\n  - { type: jira }'));
    const environment = await given([name]);
    await run(environment, { app: fingerprint });
    expect((await snapshot(environment)).compliance).toBe('non-compliant');
  });

  it('a new version judges, even when environments are re-evaluated while it is saved', async () => {
    const name = `p-${randomUUID()}`;
    await givenPolicy(api, name);
    const fingerprint = fingerprintOf('being put');
    await built(fingerprint);
    const environment = await given([name]);
    await run(environment, { app: fingerprint });
    await settle();
    for (let round = 0; round < 5; round++) {
      const reevaluations = Array.from({ length: 3 }, takeQueued);
      await Promise.all([
        givenPolicy(api, name, round % 2 === 0 ? REQUIRES_TESTS : REQUIRES_PROVENANCE),
        ...reevaluations,
      ]);
      await settle();
      const { applied_policies, compliance } = await snapshot(environment);
      expect([applied_policies[0]?.version, compliance]).toEqual([
        round + 2,
        round % 2 === 0 ? 'non-compliant' : 'compliant',
      ]);
    }
  });
});
