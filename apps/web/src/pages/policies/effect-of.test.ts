import { expect, it } from 'vitest';
import { type ArtifactPage, type Effect, effectOf, verdictOf } from './effect-of.ts';

const reason = (policy_name: string, message: string) => ({ policy_name, message });
const artifact = (name: string, compliance: string, ...reasons: ReturnType<typeof reason>[]) => ({
  name,
  fingerprint: name,
  compliance,
  reasons_for_incompliance: reasons,
});
const page = {
  snapshot: { index: 7, timestamp: 100, applied_policies: [{ name: 'tested', version: 3, failing_count: 2 }] },
  counts: { compliant: 4, 'non-compliant': 2, unknown: 0, waived: 1, exited: 5 },
  artifacts: [
    artifact('shop', 'non-compliant', reason('tested', 'no tests'), reason('tested', 'no tests')),
    artifact('web', 'waived', reason('tested', 'tests fail')),
    artifact('audit', 'non-compliant', reason('reviewed', 'no review')),
  ],
} as unknown as ArtifactPage;

it('tells what fails one policy among several, each reason once', () => {
  expect(effectOf(page, 'tested')).toEqual({
    snapshot: 7,
    at: 100,
    version: 3,
    failing: 2,
    waived: 1,
    running: 7,
    artifacts: [
      { name: 'shop', fingerprint: 'shop', isWaived: false, messages: ['no tests'] },
      { name: 'web', fingerprint: 'web', isWaived: true, messages: ['tests fail'] },
    ],
  });
});

it('does not say that all pass where the policy has not judged yet', () => {
  expect(effectOf(page, 'other')).toMatchObject({ version: undefined, failing: undefined, artifacts: [] });
});

it('does not tell how many are waived of more than the page holds', () => {
  expect(effectOf({ ...page, artifacts: page.artifacts.slice(0, 1) }, 'tested')).toMatchObject({
    failing: 2,
    waived: undefined,
  });
});

it.each([
  [{ failing: 0, waived: 0 }, false, 'compliant', 'All pass'],
  [{ failing: 0, waived: 0 }, true, 'unknown', 'Silent; in the last report: All pass'],
  [{ failing: 0, waived: 0, running: 0 }, false, 'unknown', 'Nothing runs there'],
  [{ failing: undefined, waived: undefined }, true, 'unknown', 'Not judged by it yet'],
  [{ failing: 2, waived: 2 }, false, 'waived', '2 of 5 waived'],
  [{ failing: 3, waived: 2 }, false, 'non-compliant', '1 of 5 fails, 2 waived'],
  [{ failing: 2, waived: 0 }, false, 'non-compliant', '2 of 5 fail'],
  [{ failing: 4, waived: undefined }, false, 'non-compliant', '4 of 5 fail or are waived'],
] as const)('of %j, silent %s, says %s', (found, isSilent, state, word) => {
  const effect: Effect = { snapshot: 7, at: 100, version: 3, running: 5, artifacts: [], ...found };
  expect(verdictOf(effect, isSilent)).toEqual({ state, word });
});
