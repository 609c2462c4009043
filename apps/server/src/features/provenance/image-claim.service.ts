import { invalidField } from '../../platform/errors.ts';

/** What an artifact report says about an image index. */
export interface ImageClaim {
  readonly index: string;
  readonly platforms: readonly { readonly platform: string; readonly fingerprint: string }[];
}

/** More platforms than any image has; it bounds what one report can add. */
const PLATFORMS_MAX = 100;
const PLATFORM_KEY = /^platform_(.+)$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/;
/** Attestation manifests are listed in an index under this platform. They are not images, and nothing runs them. */
const NO_IMAGE = 'unknown/unknown';

/** Reads the claim of a new report. Refuses one that does not list the artifact itself, or lists too much. */
export function imageClaimOf(
  fingerprint: string,
  annotations: Readonly<Record<string, unknown>>,
): ImageClaim | undefined {
  const { index, platforms } = imageIn(fingerprint, annotations);
  if (platforms.length > PLATFORMS_MAX) {
    throw invalidField('annotations', `must name at most ${PLATFORMS_MAX} platforms`);
  }
  if (index !== fingerprint && !platforms.some((image) => image.fingerprint === fingerprint)) {
    throw invalidField(
      'annotations.image_index',
      'requires a platform_… annotation for each platform of the index, one of them with the fingerprint of the ' +
        'artifact',
    );
  }
  return platforms.length === 0 ? undefined : { index, platforms };
}

/**
 * Reads the annotations that name the platforms of an image: `platform_linux_arm64=sha256:…` for each of them on the
 * report of the index; on the report of a platform image, `image_index=sha256:…` as well. Stored reports may hold what
 * is refused today.
 */
export function imageIn(fingerprint: string, annotations: Readonly<Record<string, unknown>>): ImageClaim {
  const named = Object.entries(annotations).flatMap(([key, value]) => {
    const [, name] = PLATFORM_KEY.exec(key) ?? [];
    const digest = digestIn(value);
    if (name === undefined || digest === undefined) return [];
    const platform = platformOf(name);
    return platform === NO_IMAGE ? [] : [{ platform, fingerprint: digest }];
  });
  const index = digestIn(annotations['image_index']) ?? fingerprint;
  return { index, platforms: byFingerprint(named.filter((image) => image.fingerprint !== index)) };
}

/** Annotations are free text. */
function digestIn(value: unknown): string | undefined {
  return typeof value === 'string' ? DIGEST.exec(value)?.[1] : undefined;
}

/** `linux_arm64_v8` means linux/arm64/v8, and `windows_10_0_20348__amd64` means windows(10.0.20348)/amd64. */
function platformOf(key: string): string {
  const [, system, version, rest] = /^([^_]+)_(\d+(?:_\d+)*)__(.+)$/.exec(key) ?? [];
  if (system && version && rest) return `${system}(${version.replaceAll('_', '.')})/${rest.replaceAll('_', '/')}`;
  // An index may list several images for one platform; those after the first have a number.
  return key.replace(/--\d+$/, '').replaceAll('_', '/');
}

function byFingerprint(images: ImageClaim['platforms']): ImageClaim['platforms'] {
  return Array.from(
    Map.groupBy(images, (image) => image.fingerprint),
    ([fingerprint, all]) => ({
      fingerprint,
      platform: [...new Set(all.map(({ platform }) => platform))].sort().join(', '),
    }),
  );
}
