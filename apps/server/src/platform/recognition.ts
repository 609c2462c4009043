import { hash } from 'node:crypto';
import { createBoundedMap } from './bounded-map.ts';

/** Remembers texts that passed a check which depends on nothing but the text, so that it need not be made again. */
export interface Recognition {
  has(text: string): boolean;
  add(text: string): void;
}

/** Keeps the digests of the last `size` texts. */
export function createRecognition(size: number): Recognition {
  const known = createBoundedMap<true>(size);
  return {
    has: (text) => known.get(digest(text)) === true,
    add: (text) => known.set(digest(text), true),
  };
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
