import { allowArtifact, type Simulation, simulatePolicy, withdrawAllowListing } from '@waymark/contract';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { givenAttached, givenPolicy, REQUIRES_PROVENANCE, REQUIRES_TESTS } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const numRuns = process.env['WAYMARK_TEST_SIZE'] === 'full' ? 100 : 8;

/** `a` and `d` were tested, `b` was reported and no more, nobody knows `c`. */
beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  for (const digit of ['a', 'b', 'd']) await givenArtifact(api, 'web', digit, { trail_name: digit });
  for (const digit of ['a', 'd']) {
    const about = { attestation_name: 'unit-tests', artifact_fingerprint: fingerprint(digit) };
    await attest(api, 'web', digit, { ...about, is_compliant: true });
  }
  await givenPolicy(api, 'strict', REQUIRES_TESTS);
  await givenPolicy(api, 'lax', REQUIRES_PROVENANCE);
});

type Step =
  | { readonly kind: 'report'; readonly digits: readonly string[] }
  | { readonly kind: 'allow' | 'withdraw'; readonly digit: string };

const digits = ['a', 'b', 'c', 'd'];
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
  ),
  { minLength: 5, maxLength: 25 },
);

async function take(step: Step, environment: string): Promise<void> {
  const params = { env_name: environment };
  if (step.kind === 'report') {
    await givenRunning(api, environment, Object.fromEntries(step.digits.map((digit) => [digit, digit])));
  } else if (step.kind === 'allow') {
    const body = { artifact_fingerprint: fingerprint(step.digit), artifact_name: 'app', description: 'urgent' };
    await api.call(allowArtifact, { params, body });
  } else {
    await api.call(withdrawAllowListing, { params: { ...params, fingerprint: fingerprint(step.digit) } });
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

/** What was recorded, with what would be otherwise. */
function withFlips({ index, compliances }: Recorded, { flips }: Simulation): Record<string, string> {
  const then = flips.filter(
    ({ snapshot_index: from, until_index: until }) => from <= index && (until === null || until > index),
  );
  return { ...compliances, ...Object.fromEntries(then.map(({ artifact, to }) => [artifact.name, to])) };
}

let count = 0;

/** The same happens in two environments. What the policy of the first would say in the second is known by that. */
it('a simulation comes to what is recorded where the policy is attached', async () => {
  const property = fc.asyncProperty(steps, async (list) => {
    const [strict, lax] = [`strict-${++count}`, `lax-${count}`];
    for (const [name, policy] of Object.entries({ [strict]: 'strict', [lax]: 'lax' })) {
      await givenEnvironment(api, name);
      await givenAttached(api, name, [policy]);
    }
    for (const step of list) {
      api.clock.now = new Date(api.clock.now.getTime() + 3_600_000);
      for (const environment of [strict, lax]) await take(step, environment);
    }
    const body = { policy_yaml: REQUIRES_TESTS, environments: [lax] };
    const { body: simulation } = await api.call(simulatePolicy, { body });
    const real = await recordedIn(strict);
    for (const snapshot of await recordedIn(lax)) {
      const then = real.findLast(({ at }) => at <= snapshot.at);
      expect(withFlips(snapshot, simulation)).toEqual(then?.compliances);
    }
    const itself = await api.call(simulatePolicy, { body: { policy_name: 'lax', environments: [lax] } });
    expect(itself.body.flips).toEqual([]);
  });
  await fc.assert(property, { numRuns });
}, 300_000);
