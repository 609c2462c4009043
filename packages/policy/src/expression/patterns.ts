import { quoted } from '@waymark/positioned-yaml';
import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/**
 * Time grows with the size of a pattern times the length of the text. With a thousand steps of the worst kind (`\pL`), a
 * name of 1,000 characters took 0.2 s (re2js 2.9.1, November 2026).
 */
const MOST_STEPS = 1000;
/** Of one policy. Reading 64 KiB of patterns took up to 5 s: `(?i)\pL` is a quarter of a millisecond each. */
const MOST_CHARACTERS = 4000;

export type CompiledPattern =
  | { readonly ok: true; readonly isFoundIn: (text: string) => boolean }
  | { readonly ok: false; readonly message: string };

const TOO_LARGE = { ok: false, message: 'The pattern is too large; repeat less, or split it.' } as const;
const TOO_MANY = {
  ok: false,
  message: `All patterns of a policy may have at most ${MOST_CHARACTERS} characters; shorten them.`,
} as const;

/** Compiles the patterns of one policy, equal ones once. */
export type Patterns = (pattern: string) => CompiledPattern;

export function newPatterns(): Patterns {
  const known = new Map<string, CompiledPattern>();
  let left = MOST_CHARACTERS;
  return (pattern) => {
    const before = known.get(pattern);
    if (before) return before;
    left -= pattern.length;
    const compiled = left < 0 ? TOO_MANY : compile(pattern);
    known.set(pattern, compiled);
    return compiled;
  };
}

/** A regular expression in RE2's syntax, whose time grows in proportion to the text, whatever it looks like. */
function compile(pattern: string): CompiledPattern {
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > MOST_STEPS) return TOO_LARGE;
    return { ok: true, isFoundIn: remembering((text) => compiled.test(text)) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { ok: false, message: patternSentence(error) };
  }
}

/** Many rules of a policy may ask the same of one name. */
function remembering(isFoundIn: (text: string) => boolean): (text: string) => boolean {
  let last: { readonly text: string; readonly found: boolean } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, found: isFoundIn(text) };
    return last.found;
  };
}

function patternSentence(error: RE2JSException): string {
  const part = error instanceof RE2JSSyntaxException && error.input ? quoted(error.input) : 'it';
  return error.message.includes('missing closing')
    ? `The pattern cannot be used: in ${part} something is not closed.`
    : `The pattern cannot be used: ${part} is not RE2 syntax, which has no look-arounds and no back-references.`;
}
