import { hash } from 'node:crypto';

/** Remembers texts that passed a check which depends on nothing but the text, so that it need not be made again. */
export interface Recognition {
  has(text: string): boolean;
  add(text: string): void;
}

/** Keeps the digests of the last `size` texts. */
export function createRecognition(size: number): Recognition {
  const known = new Set<string>();
  return {
    has: (text) => known.has(digest(text)),
    add(text) {
      const oldest = known.size >= size ? known.values().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      known.add(digest(text));
    },
  };
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
