import type { z } from 'zod';
import { inWords, quoted } from './in-words.ts';
import { nearest } from './nearest.ts';

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
};

/** Words Zod's own issues for people who write YAML; a message set in the schema comes before these. */
export function issueSentence(noun: string): z.core.$ZodErrorMap {
  return (issue) => {
    const subject = subjectOf(issue.path ?? [], noun);
    if (issue.input === undefined) return `${subject} is missing.`;
    if (issue.code === 'invalid_type') {
      const expected = TYPE_WORDS[issue.expected] ?? issue.expected;
      return `${subject} must be ${expected}, not ${inWords(issue.input)}${quoteHint(issue.expected, issue.input)}.`;
    }
    if (issue.code === 'invalid_value') {
      return `${subject} must be ${issue.values.map(String).join(' or ')}, not ${inWords(issue.input)}.`;
    }
    return undefined;
  };
}

export function unknownKeySentence(key: string, allowed: readonly string[]): string {
  const meant = nearest(key, allowed);
  const suggestion = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `Unknown key ${quoted(key)}; the keys allowed here are ${allowed.join(', ')}.${suggestion}`;
}

function subjectOf(path: readonly PropertyKey[], noun: string): string {
  const last = path.at(-1);
  if (last === undefined) return `The ${noun}`;
  if (typeof last !== 'number') return `"${String(last)}"`;
  const list = path.at(-2);
  return list === undefined ? `Entry ${last + 1}` : `Entry ${last + 1} of "${String(list)}"`;
}

function quoteHint(expected: string, input: unknown): string {
  const isBareWord = typeof input === 'number' || typeof input === 'boolean';
  return expected === 'string' && isBareWord ? '; put it in quotes' : '';
}
