import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import { asking, FINGERPRINT, failed, flow, IN_PRODUCTION, passed, policyOf } from './decide-examples.ts';
import { evidenceKey, readEvidence } from './decide-keys.ts';
import type { ArtifactEvidence, FlowEvidence } from './evidence.ts';
import { imageInWords } from './image-in-words.ts';

const identity = { name: 'prod', version: 1 };
const TESTS = asking('{ name: tests, type: junit }');
const PROVENANCE = policyOf('provenance: { required: true }');

function indexOf(own: readonly FlowEvidence[], ...platforms: readonly (readonly FlowEvidence[])[]): ArtifactEvidence {
  const parts = platforms.map((flows, i) => ({
    platform: `linux/arch${i}`,
    fingerprint: String(i).repeat(64),
    flows,
  }));
  return { fingerprint: FINGERPRINT, flows: own, platforms: parts };
}

const decided = (policy: typeof TESTS, evidence: ArtifactEvidence) => decide(policy, identity, evidence, IN_PRODUCTION);
const good = flow('web', passed('tests', 'junit'));
const bad = flow('web', failed('tests', 'junit'));

it.each([
  ['the index alone', indexOf([good], [], []), 'COMPLIANT'],
  ['each platform', indexOf([], [good], [good]), 'COMPLIANT'],
  ['the index and one platform', indexOf([flow('ci')], [good], []), 'NON-COMPLIANT'],
  ['one platform of two', indexOf([], [good], []), 'NON-COMPLIANT'],
  ['the index, with a failure on one platform', indexOf([good], [bad], []), 'NON-COMPLIANT'],
])('passes an index when every platform passes: tests on %s', (_, evidence, status) => {
  expect(decided(TESTS, evidence).status).toBe(status);
});

it('names the platform that fails, and lists shared reasons once', () => {
  const { ruleEvaluations, reasons } = decided(TESTS, indexOf([flow('ci')], [good], [flow('web')]));
  expect(ruleEvaluations[0]).toMatchObject({
    satisfied: false,
    resolutions: [
      { type: 'missing_attestation', context: { flow_name: 'ci' } },
      { type: 'rule_satisfied', context: { flow_name: 'web', platform: 'linux/arch0' } },
      { type: 'missing_attestation', context: { flow_name: 'web', platform: 'linux/arch1' } },
    ],
  });
  expect(reasons.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('Image for linux/arch1: In flow'),
  );
});

it('names the platform image that was not reported', () => {
  const { reasons } = decided(PROVENANCE, indexOf([], [good], []));
  expect(reasons).toMatchObject([
    {
      resolution: 'no_provenance',
      message: expect.stringContaining(
        'No flow has reported the linux/arch1 image 111111111111 of artifact 4f2a4f2a4f2a',
      ),
    },
  ]);
});

it('names the index of which an unknown artifact is a platform image', () => {
  const listedIn = { platform: 'linux/amd64', index: 'a'.repeat(64), reported: ['linux/arm64'] };
  const evidence = { fingerprint: FINGERPRINT, flows: [], listedIn };
  const summary = 'It is the linux/amd64 image of index aaaaaaaaaaaa, of which linux/arm64 was reported.';
  expect(imageInWords(evidence)).toBe(summary);
  expect(decided(PROVENANCE, evidence).reasons[0]?.message).toContain(summary);
});

it('is decided alike from what was stored, in whatever order it was read', () => {
  const own = [{ ...good, artifactId: 'b', index: { fingerprint: 'a'.repeat(64), platform: 'linux/arm64' } }, good];
  const { platforms = [], ...rest } = indexOf(own, [good], [bad]);
  const key = evidenceKey({ ...rest, platforms });
  expect(evidenceKey({ ...rest, flows: own.toReversed(), platforms: platforms.toReversed() })).toBe(key);
  const stored = readEvidence(key);
  expect(evidenceKey(stored)).toBe(key);
  expect(decided(TESTS, stored).status).toBe('NON-COMPLIANT');
});
