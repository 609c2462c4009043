import { expect, it } from 'vitest';
import { type ArtifactPage, type Effect, effectOf, verdictOf } from './effect-of.ts';

const reason = (policy_name: string, message: string) => ({ policy_name, message });
const artifact = (name: string, compliance: string, ...reasons: ReturnType<typeof reason>[]) => ({
  name,
  fingerprint: name,
  compliance,
  reasons_for_incompliance: reasons,
});
const APPLIED = { name: 'tested', version: 3, failing_count: 1, waived_count: 1 };
const page = {
  snapshot: { index: 7, timestamp: 100, applied_policies: [APPLIED] },
  counts: { compliant: 4, 'non-compliant': 2, unknown: 0, waived: 1, exited: 5 },
  artifacts: [
    artifact('shop', 'non-compliant', reason('tested', 'no tests'), reason('tested', 'no tests')),
    artifact('web', 'waived', reason('tested', 'tests fail')),
    artifact('audit', 'non-compliant', reason('reviewed', 'no review')),
  ],
} as unknown as ArtifactPage;

it('lists what fails one policy among several, without duplicate reasons', () => {
  expect(effectOf(page, 'tested')).toEqual({
    snapshot: 7,
    at: 100,
    applied: APPLIED,
    running: 7,
    artifacts: [
      { name: 'shop', fingerprint: 'shop', isWaived: false, messages: ['no tests'] },
      { name: 'web', fingerprint: 'web', isWaived: true, messages: ['tests fail'] },
    ],
  });
});

it('does not claim that everything passes before the policy has judged', () => {
  expect(effectOf(page, 'other')).toMatchObject({ applied: undefined, artifacts: [] });
});

const applied = (failing_count: number, waived_count: number) => ({
  applied: { version: 3, failing_count, waived_count },
});

it.each([
  [applied(0, 0), false, 'compliant', 'All pass'],
  [applied(0, 0), true, 'unknown', 'All pass · stale'],
  [{ ...applied(0, 0), running: 0 }, false, 'unknown', 'Nothing runs there'],
  [{ ...applied(0, 0), running: 0 }, true, 'unknown', 'Nothing runs there · stale'],
  [{ applied: undefined }, false, 'unknown', 'Not evaluated yet'],
  [{ applied: undefined }, true, 'unknown', 'Not evaluated yet'],
  [applied(0, 2), false, 'waived', '2 of 5 waived'],
  [applied(0, 2), true, 'unknown', '2 of 5 waived · stale'],
  [applied(1, 2), false, 'non-compliant', '1 of 5 failing, 2 waived'],
  [applied(1, 2), true, 'non-compliant', '1 of 5 failing, 2 waived · stale'],
] as const)('of %j, stale %s, says %s', (found, isStale, state, word) => {
  const effect: Effect = { snapshot: 7, at: 100, running: 5, artifacts: [], ...found };
  expect(verdictOf(effect, isStale)).toEqual({ state, word });
});
