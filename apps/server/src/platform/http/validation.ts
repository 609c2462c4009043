import type { z } from 'zod';
import { invalid } from '../errors.ts';

type Issue = z.core.$ZodRawIssue;

/** Checks a value against its shape. What is wrong is told field by field, in our words. */
export function parse<S extends z.ZodType>(shape: S, value: unknown, prefix: string): z.output<S> {
  const result = shape.safeParse(value, { error: describe });
  if (result.success) return result.data;
  const fields: Record<string, string> = {};
  for (const issue of result.error.issues) {
    const path = [prefix, ...issue.path].filter((part) => part !== '').map(String);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) fields[[...path, key].join('.')] = 'is not known here';
    } else if (issue.code === 'invalid_key') {
      fields[path.join('.')] = `is no valid name: ${issue.issues[0]?.message ?? 'it has a wrong form'}`;
    } else {
      fields[path.join('.') || 'body'] ??= issue.message;
    }
  }
  const [first, ...others] = Object.entries(fields);
  const rest = others.length > 0 ? ` (and ${others.length} more)` : '';
  throw invalid(`The request is not valid: ${first?.join(' ')}${rest}`, fields);
}

/** Texts for what the contracts do not word themselves. */
function describe(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${article(String(issue['expected']))}`;
    case 'too_big':
      return `must ${boundVerb(issue)} at most ${issue['maximum']}${unit(issue, issue['maximum'])}`;
    case 'too_small':
      return `must ${boundVerb(issue)} at least ${issue['minimum']}${unit(issue, issue['minimum'])}`;
    case 'invalid_format':
      return 'has a wrong form';
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be ${anyOf(issue['values'] as unknown[])}`;
    default:
      return 'is not valid';
  }
}

/** An empty text is accepted for what was not given, and nothing to recommend. */
function anyOf(values: readonly unknown[]): string {
  const told = values.filter((value) => value !== '').map(String);
  return told.length === 1 ? String(told[0]) : `one of ${told.join(', ')}`;
}

const UNITS: Record<string, readonly [one: string, several: string]> = {
  string: [' character long', ' characters long'],
  array: [' item', ' items'],
  object: [' key', ' keys'],
};

function unit(issue: Issue, bound: unknown): string {
  const [one, several] = UNITS[String(issue['origin'])] ?? ['', ''];
  return Number(bound) === 1 ? one : several;
}

function boundVerb(issue: Issue): string {
  return issue['origin'] === 'array' || issue['origin'] === 'object' ? 'have' : 'be';
}

const NOUNS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function article(expected: string): string {
  return NOUNS[expected] ?? `of type ${expected}`;
}
