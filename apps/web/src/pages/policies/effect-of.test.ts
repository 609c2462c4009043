import { expect, it } from 'vitest';
import { type ArtifactPage, effectOf } from './effect-of.ts';

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
