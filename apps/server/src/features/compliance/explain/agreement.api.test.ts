import { hash } from 'node:crypto';
import {
  allowArtifact,
  assertArtifact,
  attestGeneric,
  createControl,
  type EnvironmentExplanation,
  explainEnvironment,
  explainSnapshot,
  getSnapshot,
  patchTags,
  reportArtifact,
  type Snapshot,
  simulatePolicy,
} from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { isFull } from '../../../../../../tools/test-size.ts';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { artifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { ARTIFACT_NAMES, CONTROLS, FLOWS, randomPolicy } from '../../../../test/given/random-policies.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';
import { createRandom } from '../../../../test/model/random.ts';

const ENVIRONMENTS = isFull ? 50 : 10;
const ARTIFACTS = isFull ? 60 : 14;
const SEED = Number(process.env['WAYMARK_MODEL_SEED'] ?? 5);

const api = await startApi();
const random = createRandom(SEED);

beforeAll(async () => {
  for (const flow of FLOWS) await givenFlow(api, flow, 'version: 1\n');
  const tagged = await api.call(patchTags, {
    params: { type: 'flow', id: 'two' },
    body: { set_tags: { risk: 'high' } },
  });
  if (tagged.status !== 200) throw new Error(JSON.stringify(tagged.body));
});

/** Reported to some flows or none, with some evidence or none. */
async function givenEvidence(what: string): Promise<string> {
  const fingerprint = hash('sha256', what);
  for (const flow_name of random.shuffled(FLOWS).slice(0, random.below(FLOWS.length + 1))) {
    const trail_name = fingerprint.slice(0, 12);
    await api.call(reportArtifact, { params: { flow_name }, body: { ...artifact('a'), fingerprint, trail_name } });
    for (const attestation_name of ['unit-tests', 'scan', 'review'].filter(() => random.chance(0.5))) {
      const body = { attestation_name, artifact_fingerprint: fingerprint, is_compliant: random.chance(0.8) };
      await api.call(attestGeneric, { params: { flow_name, trail_name }, body });
    }
  }
  return fingerprint;
}

async function read<Body>(answer: Promise<Answer<unknown>>): Promise<Body> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`refused: ${JSON.stringify(body)}`);
  return body as Body;
}

const STATUS: Record<string, string> = { compliant: 'COMPLIANT', 'non-compliant': 'NON-COMPLIANT', waived: 'WAIVED' };
const verdictsIn = ({ children }: EnvironmentExplanation) =>
  Object.fromEntries((children as { id: string; status: string }[]).map(({ id, status }) => [id, status]));

it('snapshots, assertions, explanations and simulations agree', { timeout: 900_000 }, async () => {
  const seen = new Set<string>();
  for (const identifier of CONTROLS) await api.call(createControl, { body: { identifier, name: identifier } });
  for (let i = 0; i < ENVIRONMENTS; i++) {
    const env_name = `env-${i}`;
    const policies = Array.from({ length: random.between(1, 3) }, (_, j) => `policy-${i}-${j}`);
    for (const policy of policies) await givenPolicy(api, policy, randomPolicy(random, ['generic']));
    await givenEnvironment(api, env_name);
    await givenAttached(api, env_name, policies);
    const running: Record<string, string> = {};
    for (let j = 0; j < ARTIFACTS; j++) {
      running[`${random.pick(ARTIFACT_NAMES)}-${j}`] = await givenEvidence(`${i} ${j}`);
    }
    for (const artifact_fingerprint of Object.values(running).filter(() => random.chance(0.1))) {
      const body = { artifact_fingerprint, artifact_name: 'x', description: 'It is fine' };
      await api.call(allowArtifact, { params: { env_name }, body });
    }
    await givenRunning(api, env_name, running);

    const at = { env_name, snapshot_expression: '-1' };
    const snapshot = await read<Snapshot>(api.call(getSnapshot, { params: at }));
    const live = await read<EnvironmentExplanation>(api.call(explainEnvironment, { params: { env_name } }));
    const stored = await read<EnvironmentExplanation>(api.call(explainSnapshot, { params: at }));
    const about = `seed ${SEED}, ${env_name}`;
    expect({ ...stored, is_stored: false }, about).toEqual(live);
    expect(live.status, about).toBe(STATUS[snapshot.compliance]);
    expect(verdictsIn(live), about).toEqual(
      Object.fromEntries(
        snapshot.artifacts.map(({ name, fingerprint, compliance }) => [
          `environment/artifact:${name}@${fingerprint.slice(0, 12)}`,
          STATUS[compliance],
        ]),
      ),
    );
    for (const { name, fingerprint, compliant, compliance, policy_decisions } of snapshot.artifacts) {
      const asserted = await read(
        api.call(assertArtifact, { params: { fingerprint }, query: { environment_name: env_name } }),
      );
      const expected = { compliant, compliance, policy_evaluations: policy_decisions };
      expect(asserted, `${about}, ${name}`).toMatchObject(expected);
      seen.add(compliance);
    }
    for (const policy_name of policies) {
      const body = { policy_name, environments: [env_name] };
      const { flips } = await read<{ flips: unknown[] }>(api.call(simulatePolicy, { body }));
      expect(flips, `${about}, ${policy_name}`).toEqual([]);
    }
  }
  expect([...seen].toSorted()).toEqual(['compliant', 'non-compliant', 'waived']);
});
