import { RE2JS } from 're2js';

/** Length of a pattern. The time of a search grows with it, and with the length of the name. */
export const SEARCH_SIZE_MAX = 200;

interface Search {
  /** In RE2 syntax. */
  readonly pattern: string;
  readonly names: readonly string[];
  /** Stops after the name that used them up. */
  readonly steps: number;
}

export type Searched =
  | { readonly problem: string }
  | { readonly found: readonly string[]; readonly searched: number; readonly steps: number };

/**
 * Searches names for a pattern. A step is one instruction of the pattern on one character, an upper bound of its work.
 */
export function searchNames({ pattern, names, steps }: Search): Searched {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    return { problem: `is not a valid RE2 regular expression: ${(error as Error).message}` };
  }
  const size = compiled.programSize();
  if (size > SEARCH_SIZE_MAX) {
    return { problem: `has ${size} steps, and the maximum is ${SEARCH_SIZE_MAX}. Use fewer repetitions` };
  }
  const found: string[] = [];
  let [used, searched] = [0, 0];
  for (const name of names) {
    if (used >= steps) break;
    if (compiled.test(name)) found.push(name);
    used += size * (name.length + 1);
    searched += 1;
  }
  return { found, searched, steps: used };
}
