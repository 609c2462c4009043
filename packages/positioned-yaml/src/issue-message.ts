import type { z } from 'zod';
import { anyOf, didYouMean, inWords, quoted } from './in-words.ts';

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
};

/** Words Zod's own issues for people who write YAML; a message in the schema takes precedence. */
export function issueMessage(noun: string): z.core.$ZodErrorMap {
  return (issue) => {
    const subject = subjectOf(issue.path ?? [], noun);
    if (issue.input === undefined) return `${subject} is missing.`;
    if (issue.code === 'invalid_type') {
      const expected = TYPE_WORDS[issue.expected] ?? issue.expected;
      return `${subject} must be ${expected}, not ${inWords(issue.input)}${quoteHint(issue.expected, issue.input)}.`;
    }
    if (issue.code === 'invalid_value') {
      const allowed = anyOf(issue.values.map(String));
      return `${subject} must be ${allowed}, not ${inWords(issue.input)}.${wordMeant(issue.input, issue.values)}`;
    }
    if (issue.code === 'too_small') return `${subject} must be at least ${amountOf(issue.minimum, issue.origin)}.`;
    if (issue.code === 'too_big') return `${subject} must be at most ${amountOf(issue.maximum, issue.origin)}.`;
    return undefined;
  };
}

export function unknownKeyMessage(key: string, allowed: readonly string[]): string {
  return `Unknown key ${quoted(key)}; the keys allowed here are ${allowed.join(', ')}.${didYouMean(key, allowed)}`;
}

function subjectOf(path: readonly PropertyKey[], noun: string): string {
  const last = path.at(-1);
  if (last === undefined) return `The ${noun}`;
  if (typeof last !== 'number') return `"${String(last)}"`;
  const list = path.at(-2);
  return list === undefined ? `Entry ${last + 1}` : `Entry ${last + 1} of "${String(list)}"`;
}

function wordMeant(input: unknown, values: readonly unknown[]): string {
  const words = values.filter((value) => typeof value === 'string');
  return typeof input === 'string' ? didYouMean(input, words) : '';
}

function amountOf(bound: number | bigint, origin: string): string {
  if (origin === 'string') return `${bound} characters long`;
  return origin === 'array' ? `${bound} entries long` : String(bound);
}

function quoteHint(expected: string, input: unknown): string {
  const isBareWord = typeof input === 'number' || typeof input === 'boolean';
  return expected === 'string' && isBareWord ? '; put it in quotes' : '';
}
