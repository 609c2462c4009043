import { hash } from 'node:crypto';
import { type Simulation, simulatePolicy } from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { attest, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy, REQUIRES_PROVENANCE } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const DAY = 86_400_000;
const SCANNED = attestationPolicy('{ name: scan, type: generic, max_age: 14d }');

let env = '';
let digest = '';
let count = 0;

/** Judged from the first day by a policy that asks for nothing old. */
beforeEach(async () => {
  env = `env-${++count}`;
  digest = hash('sha256', env);
  pass(100);
  await givenFlow(api, env, 'version: 1\n');
  await givenArtifact(api, env, 'a', { fingerprint: digest, trail_name: 'release' });
  await givenEnvironment(api, env);
  if (count === 1) await givenPolicy(api, 'known', REQUIRES_PROVENANCE);
  await givenAttached(api, env, ['known']);
});

function pass(days: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + days * DAY);
}

async function scan(isCompliant = true): Promise<void> {
  const body = { attestation_name: 'scan', is_compliant: isCompliant, artifact_fingerprint: digest };
  await attest(api, env, 'release', body);
}

/** Something else starts, so that there is a snapshot. */
async function snapshot(name: string): Promise<void> {
  await givenRunning(api, env, { web: digest, [name]: digest });
}

async function flips(policy_yaml = SCANNED): Promise<string[]> {
  const { body } = (await api.call(simulatePolicy, {
    body: { environments: [env], policy_yaml } as never,
  })) as Answer<Simulation>;
  return body.flips
    .filter(({ artifact }) => artifact.name === 'web')
    .map(({ snapshot_index, until_index, from, to }) => `${snapshot_index}-${until_index ?? ''} ${from} > ${to}`);
}

it('an artifact fails from the snapshot on in which its evidence became too old', async () => {
  await scan();
  await givenRunning(api, env, { web: digest });
  pass(5);
  await snapshot('one');
  pass(5);
  await snapshot('two');
  pass(5);
  await snapshot('three');
  expect(await flips()).toEqual(['3- compliant > non-compliant']);
  expect(await flips(attestationPolicy('{ name: scan, type: generic, max_age: 16d }'))).toEqual([]);
  expect(await flips(attestationPolicy('{ name: scan, type: generic }'))).toEqual([]);
});

it('evidence that was reported again in time counts, although no verdict changed', async () => {
  await scan();
  await givenRunning(api, env, { web: digest });
  for (const name of ['one', 'two']) {
    pass(10);
    await scan();
    await snapshot(name);
  }
  pass(10);
  expect(await flips()).toEqual([]);
});

it('a gap between two reports fails only the snapshots in it', async () => {
  await scan();
  await givenRunning(api, env, { web: digest });
  pass(10);
  await snapshot('one');
  pass(10);
  await scan();
  await snapshot('two');
  pass(1);
  await snapshot('three');
  expect(await flips()).toEqual(['2-3 compliant > non-compliant']);
});

it('a later failure counts from its receipt', async () => {
  await scan();
  await givenRunning(api, env, { web: digest });
  pass(2);
  await snapshot('one');
  pass(2);
  await scan(false);
  pass(2);
  await snapshot('two');
  expect(await flips()).toEqual(['2- compliant > non-compliant']);
});
