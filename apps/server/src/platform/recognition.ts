import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Remembers texts that passed a check which depends on nothing but the text, so that it need not be repeated. */
export interface Recognition {
  has(text: string): boolean;
  add(text: string): void;
}

/** Remembers the digests of the last `size` texts. */
export function createRecognition(size: number): Recognition {
  const known = new LRUCache<string, true>({ max: size });
  // The same text often comes several times in a row, and comparing it is much faster than hashing it.
  let latest = { text: '', digest: digest('') };
  const digestOf = (text: string) => {
    if (text !== latest.text) latest = { text, digest: digest(text) };
    return latest.digest;
  };
  return {
    has: (text) => known.get(digestOf(text)) === true,
    add: (text) => void known.set(digestOf(text), true),
  };
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
