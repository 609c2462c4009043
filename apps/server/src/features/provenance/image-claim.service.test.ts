import { expect, it } from 'vitest';
import { imageClaimOf } from './image-claim.service.ts';

const [I, A, B] = ['1', 'a', 'b'].map((digit) => digit.repeat(64)) as [string, string, string];

it('reads the platforms of an index from the annotations of its report', () => {
  const annotations = {
    platform_linux_arm64_v8: `sha256:${A}`,
    platform_windows_10_0_20348__amd64: `sha256:${B}`,
    config_linux_arm64_v8: `sha256:${'c'.repeat(64)}`,
    platform_team: 'payments',
    platform_count: 2,
  };
  expect(imageClaimOf(I, annotations)).toEqual({
    index: I,
    platforms: [
      { platform: 'linux/arm64/v8', fingerprint: A },
      { platform: 'windows(10.0.20348)/amd64', fingerprint: B },
    ],
  });
});

it('reads the index of a platform image, and keeps one row for an image that several platforms share', () => {
  const annotations = {
    image_index: `sha256:${I}`,
    platform_linux_arm_v6: `sha256:${A}`,
    platform_linux_arm_v7: `sha256:${A}`,
    'platform_linux_amd64--2': `sha256:${B}`,
  };
  expect(imageClaimOf(A, annotations)).toEqual({
    index: I,
    platforms: [
      { platform: 'linux/arm/v6, linux/arm/v7', fingerprint: A },
      { platform: 'linux/amd64', fingerprint: B },
    ],
  });
});

it('takes neither attestation manifests nor the index itself for a platform', () => {
  expect(imageClaimOf(I, { platform_unknown_unknown: `sha256:${A}`, platform_linux_amd64: `sha256:${I}` })).toBe(
    undefined,
  );
  expect(imageClaimOf(I, {})).toBe(undefined);
});

it('refuses an index that does not list the artifact, and more platforms than an image can have', () => {
  expect(() => imageClaimOf(A, { image_index: `sha256:${I}` })).toThrow();
  expect(() => imageClaimOf(A, { image_index: `sha256:${I}`, platform_linux_amd64: `sha256:${B}` })).toThrow();
  const many = Array.from({ length: 101 }, (_, i) => [`platform_os_${i}`, `sha256:${String(i).padStart(64, '0')}`]);
  expect(() => imageClaimOf(I, Object.fromEntries(many))).toThrow();
});
