import { invalid, type Problem } from '../errors.ts';
import type { ByteRange } from './blob-store.ts';

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

export function checkRange({ start, end }: ByteRange): ByteRange {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw invalid('A byte range is two whole numbers, the start not after the end');
  }
  return { start, end };
}

export function pastTheEnd(): Problem {
  return invalid('The byte range starts past the end of the content');
}
