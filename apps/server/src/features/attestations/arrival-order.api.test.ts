import { randomUUID } from 'node:crypto';
import {
  attestGeneric,
  attestJunit,
  attestOverride,
  beginTrail,
  type Contract,
  explainTrail,
  getTrail,
  reportArtifact,
  type Trail,
} from '@waymark/contract';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { artifact, commit, fingerprint, givenFlow } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const ORDERS = isFull ? 200 : 30;

const api = await startApi();

const NAMES = ['backend', 'frontend', 'worker'] as const;
const CHECKS = ['unit-tests', 'lint', 'scan', 'licences', 'smoke', 'load', 'review'] as const;

await givenFlow(
  api,
  'web',
  `version: 1
trail:
  attestations:
    - { name: ticket, type: generic }
    - { name: change-approved, type: generic }
  artifacts:
${NAMES.map(
  (name) => `    - name: ${name}
      attestations:
        - { name: unit-tests, type: junit }
        - { name: lint, type: generic }
        - { name: scan, type: generic }
        - { name: licences, type: generic }
`,
).join('')}`,
);

/** One request of the pipeline. Those of one line keep their order; everything else may arrive in any order. */
interface Step {
  readonly line: string;
  readonly contract: Contract;
  readonly params: Record<string, string>;
  readonly body: object;
}

function stepsFor(trail: string): Step[] {
  const params = { flow_name: 'web', trail_name: trail };
  const generic = (line: string, body: object): Step => ({ line, contract: attestGeneric, params, body });
  const about = (name: string, digit: string) => ({
    target_artifacts: [name],
    git_commit_info: { sha1: commit(digit) },
  });
  const suite = { name: 's', failures: 0, errors: 0, skipped: 1, total: 9, duration: 1 };
  const steps: Step[] = [
    {
      line: 'trail',
      contract: beginTrail,
      params,
      body: { name: trail, description: 'Release 7', git_commit_info: { sha1: commit('1') } },
    },
    generic('ticket', { attestation_name: 'ticket', is_compliant: true }),
    // Failed first, then attested again after the fix.
    generic('change', { attestation_name: 'change-approved', is_compliant: false }),
    generic('change', { attestation_name: 'change-approved', is_compliant: true }),
    // An extra that never passes.
    generic('extra', { attestation_name: 'spelling', is_compliant: false }),
    // Never matches an artifact: the template has no such name.
    generic('stray', { attestation_name: 'lint', is_compliant: true, ...about('back-end', '1') }),
  ];
  for (const [i, name] of NAMES.entries()) {
    const digit = String(i + 1);
    steps.push({
      line: `artifact ${name}`,
      contract: reportArtifact,
      params,
      body: artifact(digit, { trail_name: trail, template_reference_name: name }),
    });
    for (const check of CHECKS) {
      const line = `${name} ${check}`;
      const isJunit = check === 'unit-tests';
      steps.push({
        line,
        contract: isJunit ? attestJunit : attestGeneric,
        params,
        body: {
          attestation_name: check,
          ...about(name, digit),
          ...(isJunit ? { junit_results: [suite] } : { is_compliant: check !== 'scan' }),
        },
      });
    }
    if (name === 'worker') continue;
    steps.push({
      line: `${name} scan`,
      contract: attestOverride,
      params,
      body: {
        attestation_name: 'scan',
        ...about(name, digit),
        reason: 'A known false alarm',
        new_compliance_status: true,
        original_attestation_type: 'generic',
      },
    });
  }
  // About a reported artifact, so it comes after the report.
  steps.push(
    generic('artifact backend', {
      attestation_name: 'signed',
      is_compliant: true,
      artifact_fingerprint: fingerprint('1'),
    }),
  );
  steps.push(
    generic('artifact frontend', {
      attestation_name: 'signed',
      is_compliant: false,
      artifact_fingerprint: fingerprint('2'),
    }),
  );
  return steps;
}

/** Returns the steps in a random order of arrival: takes the next step of a random line each time. */
function arrange(steps: readonly Step[], draws: readonly number[]): Step[] {
  const lines = [...Map.groupBy(steps, (step) => step.line).values()].map((line) => [...line]);
  const arrived: Step[] = [];
  for (const draw of draws.slice(0, steps.length)) {
    const open = lines.filter((line) => line.length > 0);
    const next = open[Math.floor(draw * open.length)]?.shift();
    if (next) arrived.push(next);
  }
  return arrived;
}

async function deliver(steps: readonly Step[], repeats: readonly number[]): Promise<void> {
  const ids = steps.map(() => randomUUID());
  for (const [i, { contract, params, body }] of steps.entries()) {
    // Mostly sent once, sometimes repeated at once, sometimes an earlier one repeated now.
    const again = Math.floor((repeats[i] ?? 0) * 4 * (i + 1));
    for (const index of again <= i && contract.id !== 'beginTrail' ? [i, again] : [i]) {
      const step = steps[index];
      if (!step || step.contract.id === 'beginTrail') continue;
      const answer = await api.call(step.contract, {
        params: step.params,
        body: step.body,
        headers: { 'waymark-evidence-id': ids[index] ?? '' },
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    }
    if (contract.id === 'beginTrail') expect((await api.call(contract, { params, body })).status).toBeLessThan(300);
  }
}

/** The content without ids, times and the name of the trail. */
async function outcomeOf(trail: string): Promise<unknown> {
  const params = { flow_name: 'web', trail_name: trail };
  const [shown, explained] = await Promise.all([api.call(getTrail, { params }), api.call(explainTrail, { params })]);
  const { compliance_state, compliance_status, pending, description, git_commit_info } = shown.body as Trail;
  const text = JSON.stringify(
    { compliance_state, compliance_status, pending, description, git_commit_info, explanation: explained.body },
    (key, value) => (['evaluated_at', 'at', 'since'].includes(key) ? undefined : value),
  );
  return JSON.parse(
    text.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'id').replaceAll(trail, 'the-trail'),
  );
}

it(`a trail ends in the same state, with the same explanation, in ${ORDERS} orders of arrival and with repeats`, async () => {
  let number = 0;
  let first: unknown;
  const steps = stepsFor('x');
  expect(steps.filter(({ contract }) => contract.id.startsWith('attest'))).toHaveLength(30);
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const draws = fc.array(unit, { minLength: steps.length, maxLength: steps.length });
  const settles = fc.asyncProperty(draws, draws, async (draws, repeats) => {
    const trail = `trail-${number++}`;
    await deliver(arrange(stepsFor(trail), draws), repeats);
    const outcome = await outcomeOf(trail);
    first ??= outcome;
    expect(outcome).toEqual(first);
  });
  await fc.assert(settles, { numRuns: ORDERS, endOnFailure: true });

  expect(number).toBe(ORDERS);
  expect(first).toMatchObject({
    compliance_state: 'NON-COMPLIANT',
    description: 'Release 7',
    pending: [{ attestation_name: 'lint', target_artifact: 'back-end', state: 'unbound' }],
    compliance_status: {
      artifacts_statuses: {
        backend: { status: 'NON-COMPLIANT' },
        frontend: { status: 'NON-COMPLIANT' },
        worker: { status: 'NON-COMPLIANT' },
      },
    },
  });
}, 300_000);

it('the comparison notices a change of order that matters', async () => {
  const change = (isCompliant: boolean) => ({ attestation_name: 'change-approved', is_compliant: isCompliant });
  for (const [trail, verdicts] of [
    ['order-a', [true, false]],
    ['order-b', [false, true]],
  ] as const)
    for (const verdict of verdicts)
      await api.call(attestGeneric, { params: { flow_name: 'web', trail_name: trail }, body: change(verdict) });
  expect(await outcomeOf('order-a')).not.toEqual(await outcomeOf('order-b'));
});
