import { type Descriptor, kindOf, type Manifest } from './manifest.ts';

/** All digests are SHA-256 in 64 hex digits. */
export interface ImageIdentity {
  /** Of the index, or of the manifest of a single-platform image. */
  readonly digest: string;
  readonly kind: 'index' | 'manifest';
  readonly mediaType: string;
  /** What Docker calls the image id; of an index each platform has its own. */
  readonly configDigest: string | null;
  /** What the index lists, in its order; none for a single manifest. */
  readonly platforms: readonly PlatformIdentity[];
}

export interface PlatformIdentity {
  /** `linux/arm64/v8`, `windows(10.0.20348)/amd64`, or `unknown`. */
  readonly platform: string;
  readonly digest: string;
  /** Null for an index in the index, and for what a layout on disk names and does not hold. */
  readonly configDigest: string | null;
}

type ReadEntry = (entry: Descriptor) => Promise<Manifest | undefined>;

const MAX_CONCURRENT = 4;

export async function identify(digest: string, manifest: Manifest, readEntry: ReadEntry): Promise<ImageIdentity> {
  const { kind, mediaType } = manifest;
  if (manifest.kind === 'manifest') {
    return { digest, kind, mediaType, configDigest: manifest.configDigest, platforms: [] };
  }
  const entries = manifest.entries.filter(isOfPlatform);
  const platforms: PlatformIdentity[] = [];
  for (let start = 0; start < entries.length; start += MAX_CONCURRENT) {
    const some = entries.slice(start, start + MAX_CONCURRENT);
    platforms.push(...(await Promise.all(some.map((entry) => identifyPlatform(entry, readEntry)))));
  }
  return { digest, kind, mediaType, configDigest: null, platforms };
}

async function identifyPlatform(entry: Descriptor, readEntry: ReadEntry): Promise<PlatformIdentity> {
  const manifest = kindOf(entry.mediaType) === 'index' ? undefined : await readEntry(entry);
  const configDigest = manifest?.kind === 'manifest' ? manifest.configDigest : null;
  return { platform: platformName(entry), digest: entry.digest, configDigest };
}

/** Leaves out additions such as provenance, and types that a client should skip. */
function isOfPlatform(entry: Descriptor): boolean {
  if (kindOf(entry.mediaType) === undefined) return false;
  return !(platformName(entry) === 'unknown/unknown' && 'vnd.docker.reference.type' in entry.annotations);
}

/** Names from an index cannot move the cursor or end a line. */
export function platformName({ platform }: Descriptor): string {
  if (platform === null) return 'unknown';
  const [os, version, architecture, variant] = ['os', 'os.version', 'architecture', 'variant'].map((name) => {
    const value = platform[name];
    return typeof value === 'string' ? value.replace(/[^\w.+-]/g, '?').slice(0, 64) : '';
  });
  const system = version ? `${os || 'unknown'}(${version})` : os || 'unknown';
  return [system, architecture || 'unknown', ...(variant ? [variant] : [])].join('/');
}
