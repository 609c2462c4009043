import { invalid, type Problem } from '../errors.ts';
import type { BlobName, ByteRange } from './blob-store.ts';

const orgPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const sha256Pattern = /^[0-9a-f]{64}$/;

/** Every path and key is built from names checked here, so none can escape its org. */
export function checkOrg(org: string): string {
  if (!orgPattern.test(org)) throw invalid('An org id is a lowercase UUID');
  return org;
}

export function checkSha256(sha256: string): string {
  if (!sha256Pattern.test(sha256)) throw invalid('A SHA-256 digest is 64 lowercase hex digits');
  return sha256;
}

/** The first generation has the plain digest; each further one has its number behind it. */
export function blobName({ sha256, generation }: BlobName): string {
  if (!Number.isSafeInteger(generation) || generation < 0) throw invalid('A generation is a whole number');
  return generation === 0 ? checkSha256(sha256) : `${checkSha256(sha256)}.${generation}`;
}

/** Undefined for a name that no blob has. */
export function readBlobName(name: string): BlobName | undefined {
  const [, sha256, generation = '0'] = /^([0-9a-f]{64})(?:\.([1-9][0-9]{0,9}))?$/.exec(name) ?? [];
  return sha256 === undefined ? undefined : { sha256, generation: Number(generation) };
}

/** Of the names that one digest has, the newest generation: an earlier one may be on its way out. */
export function newestOf(names: readonly string[]): string | undefined {
  const found = names.flatMap((name) => readBlobName(name) ?? []);
  const newest = found.toSorted((a, b) => b.generation - a.generation)[0];
  return newest && blobName(newest);
}

export function checkRange({ start, end }: ByteRange): ByteRange {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw invalid('A byte range is two whole numbers, the start not after the end');
  }
  return { start, end };
}

export function pastTheEnd(): Problem {
  return invalid('The byte range starts past the end of the content');
}
