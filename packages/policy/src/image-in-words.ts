import type { ArtifactEvidence, ListedIn, PlatformEvidence } from './evidence.ts';
import { listed } from './in-words.ts';
import { shortFingerprint } from './reasons-in-words.ts';

/** How an artifact relates to the image index by which, or by whose platforms, it is known; empty where it does not. */
export function imageInWords({ flows, platforms, listedIn }: ArtifactEvidence): string {
  if (listedIn) return listedInWords(listedIn);
  if (platforms) return platformsInWords(platforms);
  const indexes = new Set(flows.flatMap(({ index }) => (index ? [imageOf(index)] : [])));
  return indexes.size === 0 ? '' : `It is ${listed([...indexes].toSorted())}.`;
}

function platformsInWords(platforms: readonly PlatformEvidence[]): string {
  const all = listed(platforms.map(({ platform }) => platform));
  const missing = platforms.filter(({ flows }) => flows.length === 0).map(({ platform }) => platform);
  const unless = missing.length === 0 ? '' : `; no flow has reported its image for ${listed(missing)}`;
  return `It is an image index for ${all}${unless}.`;
}

export function imageOf({
  platform,
  fingerprint,
}: {
  readonly platform: string;
  readonly fingerprint: string;
}): string {
  return `the ${platform} image of index ${shortFingerprint(fingerprint)}`;
}

export function listedInWords({ platform, index, reported }: ListedIn): string {
  const others = reported.length === 0 ? '' : `, of which ${listed(reported)} was reported`;
  return `It is ${imageOf({ platform, fingerprint: index })}${others}.`;
}
