import { hash } from 'node:crypto';
import {
  attachPolicies,
  getSnapshot,
  listFlows,
  putPolicy,
  type Simulation,
  type Snapshot,
  simulatePolicy,
  validatePolicy,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { givenAttached, givenPolicy, policyText } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const other = await api.givenOrg('other');

/** Random letters, half of them outside ASCII: the worst case for such patterns. */
function slowName(number: number): string {
  const bytes = Array.from({ length: 16 }, (_, part) => hash('sha256', `${number} ${part}`)).join('');
  return Array.from(bytes.slice(0, 490), (digit) => 'aбжcdжaeйaбжcdжa'[Number.parseInt(digit, 16)]).join('');
}

const SLOW_NAMES = Array.from({ length: 25 }, (_, number) => slowName(number));
const running = Object.fromEntries(SLOW_NAMES.map((name) => [name, hash('sha256', name)]));

function exceptFor(...patterns: readonly string[]): string {
  const exceptions = patterns.map((pattern) => `    - if: '\${{ matches(artifact.name, "${pattern}") }}'`);
  return policyText(['provenance:', '  required: true', '  exceptions:', ...exceptions].join('\n'));
}

/** Takes 31 ms of the main thread per name. */
const COSTLY = String.raw`[aж][^b]{0,1}\pL{480}\d`;
/** The costliest policy that is accepted. */
const DEAREST = exceptFor(...Array.from({ length: 5 }, (_, number) => String.raw`[aж][^b]{0,1}\pL{${180 + number}}\d`));

beforeAll(async () => {
  await givenEnvironment(api, 'prod');
  await givenRunning(api, 'prod', running);
});

/** The replies that another org gets meanwhile, and how often the event loop turned. */
async function during(work: Promise<unknown>): Promise<{ turns: number; answers: number[] }> {
  const answers: number[] = [];
  let [turns, isDone] = [0, false];
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const ended = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const answer = await api.call(listFlows, { params: { org: other.name }, key: other.keys.reader });
    if (!isDone) answers.push(answer.status);
  }
  await ended;
  return { turns, answers };
}

it('a policy with a costly pattern is refused with a hint on what to change', async () => {
  const policy_yaml = exceptFor(COSTLY);
  const message =
    'The pattern has 486 steps, and the maximum is 200; use fewer repetitions, or split it in two joined with "or".';
  const body = { policy_yaml };
  const put = await api.call(putPolicy, { params: { name: 'costly' }, body });
  expect(put).toMatchObject({ status: 400, body: { errors: { policy_yaml: expect.stringContaining(message) } } });
  const simulated = await api.call(simulatePolicy, { body: body as never, key: api.org.keys.reader });
  expect(simulated).toMatchObject({ status: 400, body: { errors: { policy_yaml: expect.stringContaining(message) } } });
  expect(await api.call(validatePolicy, { body, key: api.org.keys.reader })).toMatchObject({
    body: { valid: false, problems: [{ message }] },
  });
});

it('190 costly patterns in a simulation are refused', async () => {
  const policy_yaml = exceptFor(...Array.from({ length: 190 }, (_, number) => String.raw`[aж]\pL{${number + 5}}`));
  const refused = await api.call(simulatePolicy, { body: { policy_yaml } as never, key: api.org.keys.reader });
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: { policy_yaml: expect.stringContaining('All patterns of a policy may have at most 1000 steps') } },
  });
});

it('a back-test of the costliest policy lets other requests in between', async () => {
  const body = { policy_yaml: DEAREST, environments: ['prod'] };
  const work = api.call(simulatePolicy, { body: body as never, key: api.org.keys.reader });
  const { turns, answers } = await during(work);
  const { status, body: simulation } = (await work) as Answer<Simulation>;
  expect(status).toBe(200);
  expect(simulation.flips).toHaveLength(SLOW_NAMES.length);
  expect(turns).toBeGreaterThan(30);
  expect(answers.length).toBeGreaterThan(3);
  expect(new Set(answers)).toEqual(new Set([200]));
});

it('so does judging in a transaction', async () => {
  await givenPolicy(api, 'dearest', DEAREST);
  await givenEnvironment(api, 'staging');
  await givenAttached(api, 'staging', ['dearest']);
  const { turns, answers } = await during(givenRunning(api, 'staging', running));
  expect(turns).toBeGreaterThan(30);
  expect(answers.length).toBeGreaterThan(3);
  expect((await latest('staging')).compliant).toBe(false);
});

async function latest(environment: string): Promise<Snapshot> {
  const params = { env_name: environment, snapshot_expression: '-1' };
  return ((await api.call(getSnapshot, { params })) as Answer<Snapshot>).body;
}

it('a stored policy with too large patterns decides nothing, and never lets anything pass', async () => {
  await givenPolicy(api, 'stored');
  const patterns = Array.from({ length: 6 }, (_, number) => `${COSTLY}{0,${number}}|.`);
  await sql`update policy_version set policy_yaml = ${exceptFor(...patterns)} where org_id = ${api.org.id}
    and policy_id = (select id from policy where org_id = ${api.org.id} and name = 'stored')`.execute(api.db);
  const attached = await api.call(attachPolicies, {
    params: { env_name: 'prod' },
    body: { policy_names: ['stored'] },
  });
  expect(attached.status).toBe(200);
  const { compliant, artifacts } = await latest('prod');
  expect(compliant).toBe(false);
  expect(artifacts).toHaveLength(SLOW_NAMES.length);
  for (const { reasons_for_incompliance: reasons } of artifacts) {
    expect(reasons).toMatchObject([
      {
        policy_name: 'stored',
        resolution: 'not_decided',
        message: expect.stringContaining("Policy 'stored' was not decided"),
        fix: expect.stringContaining('smaller'),
      },
    ]);
  }
});
