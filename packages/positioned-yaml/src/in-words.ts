import { nearest } from './nearest.ts';

const MAX_QUOTE_LENGTH = 60;

/** The text in quotes, with what cannot be printed escaped, cut so that a message stays readable. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text);
}

/** A value out of a YAML text, as it is called in the middle of a sentence. */
export function inWords(value: unknown): string {
  if (value === null) return 'an empty value';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (typeof value === 'object') return 'a mapping';
  return `the ${typeof value} ${String(value)}`;
}

/** A question to append to a message; empty if no candidate is close. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

/** "a", "a or b", "a, b or c". */
export function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
