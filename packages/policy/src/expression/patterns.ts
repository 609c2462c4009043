import { quoted } from '@waymark/positioned-yaml';
import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/**
 * A search takes at most the size of the pattern times the length of the text. One such step took up to 125 ns, with
 * classes such as `\pL` (re2js 2.9.1, November 2026), so the largest pattern takes 13 ms on a name of 500 characters.
 */
export const SIZE_MAX = 200;
/** Of all patterns of a policy together. */
export const SIZES_MAX = 1000;
/** Of one policy. Reading 64 KiB of patterns took up to 5 s: `(?i)\pL` is a quarter of a millisecond each. */
const CHARACTERS_MAX = 4000;

export interface Pattern {
  /** The steps that one character of a text can take. Infinite for a pattern that must not run. */
  readonly size: number;
  readonly isFoundIn: (text: string) => boolean;
}

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly isTooLarge: boolean; readonly message: string };

/** Compiles the patterns of one policy, equal ones once. */
export type Patterns = (pattern: string) => CompiledPattern;

export function newPatterns(): Patterns {
  const known = new Map<string, CompiledPattern>();
  const left = { characters: CHARACTERS_MAX, size: SIZES_MAX };
  return (text) => {
    const before = known.get(text);
    if (before) return before;
    const compiled = compileWithin(left, text);
    known.set(text, compiled);
    return compiled;
  };
}

/** Once the limit is reached nothing more is compiled, as that takes time itself. */
function compileWithin(left: { characters: number; size: number }, text: string): CompiledPattern {
  left.characters -= text.length;
  if (left.characters < 0) return TOO_LONG;
  if (left.size < 0) return TOO_LARGE_IN_TOTAL;
  const compiled = compile(text);
  if (compiled.ok) left.size -= compiled.pattern.size;
  return left.size < 0 ? TOO_LARGE_IN_TOTAL : compiled;
}

/** For a stored policy: a pattern above the current limit is accepted, but never runs. */
export function newStoredPatterns(): Patterns {
  const patterns = newPatterns();
  return (text) => {
    const compiled = patterns(text);
    return !compiled.ok && compiled.isTooLarge ? { ok: true, pattern: NEVER_RUN } : compiled;
  };
}

const NEVER_RUN: Pattern = {
  size: Number.POSITIVE_INFINITY,
  isFoundIn() {
    throw new Error('A pattern that is too large was run.');
  },
};

const TOO_LONG = tooLarge(`All patterns of a policy may have at most ${CHARACTERS_MAX} characters; shorten them.`);
const TOO_LARGE_IN_TOTAL = tooLarge(
  `All patterns of a policy may have at most ${SIZES_MAX} steps; use fewer repetitions, or compare with "==" or "in".`,
);

function tooLarge(message: string): CompiledPattern {
  return { ok: false, isTooLarge: true, message };
}

/** A regular expression in RE2's syntax, whose time is proportional to the text. */
function compile(text: string): CompiledPattern {
  try {
    const compiled = RE2JS.compile(text);
    const size = compiled.programSize();
    if (size <= SIZE_MAX) return { ok: true, pattern: { size, isFoundIn: (searched) => compiled.test(searched) } };
    return tooLarge(
      `The pattern has ${size} steps, and the maximum is ${SIZE_MAX}; use fewer repetitions, or split it in two joined with "or".`,
    );
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { ok: false, isTooLarge: false, message: patternMessage(error) };
  }
}

function patternMessage(error: RE2JSException): string {
  const part = error instanceof RE2JSSyntaxException && error.input ? quoted(error.input) : 'it';
  return error.message.includes('missing closing')
    ? `The pattern cannot be used: in ${part} something is not closed.`
    : `The pattern cannot be used: ${part} is not RE2 syntax, which has no lookarounds and backreferences.`;
}
