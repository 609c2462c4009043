import {
  allowArtifact,
  attachPolicies,
  detachPolicies,
  type Simulation,
  simulatePolicy,
  withdrawWaiver,
} from '@waymark/contract';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import {
  attestationPolicy,
  givenAttached,
  givenPolicy,
  REQUIRES_PROVENANCE,
  REQUIRES_TESTS,
} from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const REQUIRES_REVIEW = attestationPolicy('{ name: review, type: generic }');
const numRuns = isFull ? 100 : 8;

/** Artifacts were tested, reviewed, both or neither; `e` was not reported. */
beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  for (const digit of ['a', 'b', 'c', 'd']) await givenArtifact(api, 'web', digit, { trail_name: digit });
  for (const [name, attested] of Object.entries({ 'unit-tests': ['a', 'b'], review: ['a', 'c'] })) {
    for (const digit of attested) {
      const about = { attestation_name: name, artifact_fingerprint: fingerprint(digit) };
      await attest(api, 'web', digit, { ...about, is_compliant: true });
    }
  }
  await givenPolicy(api, 'tested', REQUIRES_TESTS);
  await givenPolicy(api, 'reviewed', REQUIRES_REVIEW);
  await givenPolicy(api, 'known', REQUIRES_PROVENANCE);
});

type Step =
  | { readonly kind: 'report'; readonly digits: readonly string[] }
  | { readonly kind: 'allow' | 'withdraw'; readonly digit: string }
  | { readonly kind: 'policy'; readonly isAttached: boolean };

const digits = ['a', 'b', 'c', 'd', 'e'];
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('report' as const), digits: fc.subarray(digits) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('allow' as const, 'withdraw' as const),
        digit: fc.constantFrom(...digits),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('policy' as const), isAttached: fc.boolean() }) },
  ),
  { minLength: 5, maxLength: 25 },
);

/** The policy that is attached and detached is the one about reviews. */
async function take(step: Step, environment: string): Promise<void> {
  const params = { env_name: environment };
  if (step.kind === 'policy') {
    const change = step.isAttached ? attachPolicies : detachPolicies;
    await api.call(change, { params, body: { policy_names: ['reviewed'] } });
  } else if (step.kind === 'report') {
    await givenRunning(api, environment, Object.fromEntries(step.digits.map((digit) => [digit, digit])));
  } else if (step.kind === 'allow') {
    const body = { artifact_fingerprint: fingerprint(step.digit), artifact_name: 'app', description: 'urgent' };
    await api.call(allowArtifact, { params, body });
  } else {
    await api.call(withdrawWaiver, { params: { ...params, fingerprint: fingerprint(step.digit) } });
  }
}

interface Recorded {
  readonly index: number;
  readonly at: Date;
  /** By name. */
  readonly compliances: Readonly<Record<string, string>>;
}

async function recordedIn(environment: string): Promise<Recorded[]> {
  const { id } = await environmentOf(api, environment);
  const { rows } = await sql<Recorded>`
    select index, created_at as at, (
      select coalesce(jsonb_object_agg(running.name, verdict.compliance), '{}')
      from running join running_verdict as verdict using (org_id, environment_id, no)
      where running.org_id = snapshot.org_id and running.environment_id = snapshot.environment_id
        and verdict.from_index <= index and coalesce(verdict.until_index > index, true)
        and running.from_index <= index and coalesce(running.until_index > index, true)
    ) as compliances
    from snapshot where org_id = ${api.org.id} and environment_id = ${id} order by index`.execute(api.db);
  return rows;
}

/** Returns the recorded verdict with the flip, if any. Unknown becoming compliant is not a flip. */
function withFlips({ index, compliances }: Recorded, { flips }: Simulation): Record<string, string> {
  const then = flips.filter(
    ({ snapshot_index: from, until_index: until }) => from <= index && (until === null || until > index),
  );
  return { ...compliances, ...Object.fromEntries(then.map(({ artifact, to }) => [artifact.name, to])) };
}

let count = 0;

/** Environments with the same history, and the policies that each has from the beginning. */
async function givenAlike(): Promise<Record<'plain' | 'tested' | 'both' | 'known', string>> {
  count += 1;
  const alike = { plain: `plain-${count}`, tested: `tested-${count}`, both: `both-${count}`, known: `known-${count}` };
  for (const name of Object.values(alike)) await givenEnvironment(api, name);
  for (const name of [alike.plain, alike.both, alike.known]) await givenAttached(api, name, ['reviewed']);
  for (const name of [alike.tested, alike.both]) await givenAttached(api, name, ['tested']);
  await givenAttached(api, alike.known, ['known']);
  return alike;
}

/** Checks that a back-test in one environment predicts what the other recorded. */
async function expectAgreement(tried: object, environment: string, real: string): Promise<void> {
  const { body: simulation } = await api.call(simulatePolicy, { body: { ...tried, environments: [environment] } });
  const recorded = await recordedIn(real);
  for (const snapshot of await recordedIn(environment)) {
    const then = recorded.findLast(({ at }) => at <= snapshot.at)?.compliances ?? {};
    expect(withFlips(snapshot, simulation)).toEqual(
      Object.fromEntries(Object.entries(then).map(([name, is]) => [name, verdictOf(is, snapshot.compliances[name])])),
    );
  }
}

function verdictOf(real: string, recorded: string | undefined): string {
  return real === 'compliant' && recorded === 'unknown' ? 'unknown' : real;
}

it('a back-test predicts what is recorded where the policy is attached', async () => {
  const property = fc.asyncProperty(steps, async (list) => {
    const { plain, tested, both, known } = await givenAlike();
    for (const step of list) {
      api.clock.now = new Date(api.clock.now.getTime() + 3_600_000);
      const environments = [plain, both, known, ...(step.kind === 'policy' ? [] : [tested])];
      for (const environment of environments) await take(step, environment);
    }
    for (const tried of [{ policy_yaml: REQUIRES_TESTS }, { policy_name: 'tested' }]) {
      await expectAgreement(tried, plain, both);
      await expectAgreement({ ...tried, alone: true }, plain, tested);
      await expectAgreement({ ...tried, alone: true }, both, tested);
    }
    await expectAgreement({ policy_yaml: REQUIRES_PROVENANCE, replaces: 'tested' }, both, known);
    await expectAgreement({ policy_yaml: REQUIRES_TESTS, replaces: 'known' }, known, both);
    await expectAgreement({ policy_name: 'tested' }, both, both);
  });
  await fc.assert(property, { numRuns });
}, 3_600_000);
