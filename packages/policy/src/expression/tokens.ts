import { quoted } from '@waymark/positioned-yaml';
import { Refusal } from './fault.ts';

export interface Token {
  readonly kind: 'text' | 'number' | 'word' | 'sign' | 'end';
  /** What was written, except for a text: there it is what the quotes hold. */
  readonly text: string;
  readonly at: number;
}

interface Found {
  readonly token: Token;
  readonly end: number;
}

const SPACES = /[ \t\r\n]*/y;
const WORD = /[a-zA-Z_][a-zA-Z0-9_\-.~]*/y;
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?/y;
const SIGN = /==|!=|<=|>=|<|>|\(|\)|\[|\]|,/y;
/** What other languages write, and what is written here. The longer signs come first. */
const FOREIGN: readonly (readonly [sign: string, message: string])[] = [
  ['&&', 'Write "and", not "&&".'],
  ['||', 'Write "or", not "||".'],
  ['=', 'Compare two values with "==", not "=".'],
  ['!', 'Write "not", not "!".'],
  ['}}', 'The expression ends here; put all of it between one "${{" and one "}}".'],
  ['${{', 'An expression cannot be nested in another; put all of it between one "${{" and one "}}".'],
];
const MAX_DIGITS = 15;

/** The words, signs and literals between `start` and `end`, and then one token for the end. */
export function tokensOf(source: string, start: number, end: number): Token[] {
  const tokens: Token[] = [];
  let at = skipSpaces(source, start);
  while (at < end) {
    const { token, end: next } = tokenAt(source, at, end);
    tokens.push(token);
    at = skipSpaces(source, next);
  }
  return [...tokens, { kind: 'end', text: '', at: end }];
}

function tokenAt(source: string, at: number, end: number): Found {
  const first = source[at];
  if (first === '"' || first === "'") return textAt(source, at, end, first);
  const word = sticky(WORD, source, at);
  if (word !== undefined) return found('word', word, at);
  const digits = sticky(NUMBER, source, at);
  if (digits !== undefined) return numberAt(digits, source, at);
  const sign = sticky(SIGN, source, at);
  if (sign !== undefined) return found('sign', sign, at);
  throw new Refusal(at, foreignMessage(source, at));
}

/**
 * A backslash before a quote or another backslash stands for that character. Before anything else it stays, so that
 * "\d" is the pattern it looks like.
 */
function textAt(source: string, start: number, end: number, quote: string): Found {
  let text = '';
  let at = start + 1;
  while (at < end && source[at] !== quote) {
    const next = source[at + 1] ?? '';
    if (source[at] === '\\' && '\\"\''.includes(next) && at + 1 < end) at++;
    text += source[at];
    at++;
  }
  if (at >= end) throw new Refusal(start, `This text has no closing ${quote}.`);
  return { token: { kind: 'text', text, at: start }, end: at + 1 };
}

function numberAt(digits: string, source: string, at: number): Found {
  const after = sticky(WORD, source, at + digits.length);
  if (after !== undefined) {
    throw new Refusal(at, `${quoted(digits + after)} is neither a number nor a name; put text in quotes.`);
  }
  if (digits.replace(/[-.]/g, '').length > MAX_DIGITS) {
    throw new Refusal(at, `A number may have at most ${MAX_DIGITS} digits; in quotes it is compared as text.`);
  }
  return found('number', digits, at);
}

function foreignMessage(source: string, at: number): string {
  const foreign = FOREIGN.find(([sign]) => source.startsWith(sign, at));
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  return foreign?.[1] ?? `The character ${quoted(character)} has no meaning here; text is put in quotes.`;
}

function found(kind: Token['kind'], text: string, at: number): Found {
  return { token: { kind, text, at }, end: at + text.length };
}

function skipSpaces(source: string, at: number): number {
  return at + (sticky(SPACES, source, at) ?? '').length;
}

function sticky(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}
