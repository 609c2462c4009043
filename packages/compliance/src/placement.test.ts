import { expect, it } from 'vitest';
import { placementOf } from './placement.ts';
import type { TrailTemplate } from './trail.ts';
import { fingerprintOf, NO_TEMPLATE, ON_TRAIL, onFingerprint, onNamed, reported } from './trail-examples.ts';

const OLD = '1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b';
const NEW = '5d6e7f8a9b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e';
const BACKEND: TrailTemplate = { attestations: [], artifacts: [{ name: 'backend', attestations: [] }] };

it('the trail always exists, an artifact when its fingerprint or its name and commit match', () => {
  const artifacts = [reported(1, 'backend', 'a', { commit: OLD })];
  expect(placementOf(ON_TRAIL, NO_TEMPLATE, [])).toEqual({ state: 'bound' });
  expect(placementOf(onFingerprint(fingerprintOf('a')), BACKEND, artifacts)).toEqual({ state: 'bound' });
  expect(placementOf(onNamed('backend', OLD), BACKEND, artifacts)).toEqual({ state: 'bound' });
  expect(placementOf(onNamed('backend', OLD), NO_TEMPLATE, artifacts)).toEqual({ state: 'bound' });
});

it('waits for an artifact of the template, without a hint when no name is close', () => {
  expect(placementOf(onNamed('backend', NEW), BACKEND, [])).toEqual({ state: 'pending', hints: [] });
});

it('explains that the commit differs, of the newest artifact', () => {
  const artifacts = [reported(2, 'backend', 'b', { commit: OLD }), reported(1, 'backend', 'a', { commit: 'ffffffff' })];
  expect(placementOf(onNamed('backend', NEW), BACKEND, artifacts)).toEqual({
    state: 'pending',
    hints: [
      "artifact 'backend' is in this trail, but it was built from commit 1a2b3c4, but the attestation is about 5d6e7f8",
    ],
  });
});

it('writes commits out when their prefixes are equal', () => {
  expect(placementOf(onNamed('backend', '1a2b3c4'), BACKEND, [reported(1, 'backend', 'a', { commit: OLD })])).toEqual({
    state: 'pending',
    hints: [
      `artifact 'backend' is in this trail, but it was built from commit ${OLD}, but the attestation is about 1a2b3c4`,
    ],
  });
});

it('says that the artifact has no commit', () => {
  expect(placementOf(onNamed('backend', NEW), BACKEND, [reported(1, 'backend', 'a')])).toEqual({
    state: 'pending',
    hints: ["artifact 'backend' is in this trail, but it was reported without a commit"],
  });
});

it('suggests the template name, and a similar one in the trail', () => {
  expect(placementOf(onNamed('back-end', NEW), BACKEND, [])).toEqual({
    state: 'unbound',
    hints: ["the template has 'backend', but you sent 'back-end'"],
  });
  expect(placementOf(onNamed('back-end', NEW), BACKEND, [reported(1, 'backend', 'a', { commit: NEW })])).toEqual({
    state: 'unbound',
    hints: ["the template has 'backend', but you sent 'back-end'", "an artifact named 'backend' is in this trail"],
  });
});

it('explains that an artifact has its file name only', () => {
  const artifacts = [reported(1, null, 'a', { filename: 'backend', commit: NEW })];
  expect(placementOf(onNamed('backend', NEW), BACKEND, artifacts)).toEqual({
    state: 'pending',
    hints: ["an artifact named 'backend' is in this trail, but without a template name"],
  });
});

it('falls back on what was built from the same commit', () => {
  const artifacts = [reported(1, 'web', 'a', { commit: NEW }), reported(2, 'cli', 'b', { commit: OLD })];
  expect(placementOf(onNamed('backend', NEW), NO_TEMPLATE, artifacts)).toEqual({
    state: 'unbound',
    hints: ["an artifact named 'web' is in this trail, with the same commit"],
  });
});

it('an unknown fingerprint is unbound', () => {
  expect(placementOf(onFingerprint(fingerprintOf('a')), BACKEND, [])).toEqual({
    state: 'unbound',
    hints: ['this trail has no artifact with fingerprint aaaaaaaaaaaa'],
  });
});
