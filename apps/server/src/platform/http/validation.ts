import type { z } from 'zod';
import { invalidFields } from '../errors.ts';

type Issue = z.core.$ZodRawIssue;

/** A client can send a hundred thousand faults in a megabyte; nobody reads more than these. */
const FAULTS_NAMED = 50;

/** Checks a value against its shape. What is wrong is told field by field, in our words. */
export function parse<S extends z.ZodType>(shape: S, value: unknown, prefix: string): z.output<S> {
  const result = shape.safeParse(value, { error: describe });
  if (result.success) return result.data;
  const { issues } = result.error;
  // A map, as a client may name a field as anything that every object has.
  const fields = new Map<string, string>();
  for (const issue of issues.slice(0, FAULTS_NAMED)) {
    const path = [prefix, ...issue.path].filter((part) => part !== '').map(String);
    for (const [name, fault] of faultsOf(issue)) {
      const field = [...path, ...name].join('.') || 'body';
      if (!fields.has(field)) fields.set(field, fault);
    }
  }
  const named = [...fields].slice(0, FAULTS_NAMED);
  const isCut = named.length === FAULTS_NAMED && countFaults(issues) > FAULTS_NAMED;
  const [first] = issues;
  const sent = first && isOfField(first) ? valueAt(value, first.path) : undefined;
  throw invalidFields(Object.fromEntries(named), { sent, isCut });
}

/** What is wrong, and with which name below the path of the issue. */
function faultsOf(issue: z.core.$ZodIssue): [name: string[], fault: string][] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, FAULTS_NAMED).map((key) => [[key], 'is unknown']);
  }
  if (issue.code !== 'invalid_key') return [[[], issue.message]];
  return [[[], `is not a valid name: ${issue.issues[0]?.message ?? 'it has an invalid format'}`]];
}

function isOfField({ code }: z.core.$ZodIssue): boolean {
  return code !== 'unrecognized_keys' && code !== 'invalid_key';
}

function countFaults(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (within: unknown, key) => (within as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
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
      return 'has an invalid format';
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be ${anyOf(issue['values'] as unknown[])}`;
    default:
      return 'is not valid';
  }
}

/** An empty text is accepted for what was not given, and nothing to recommend. */
function anyOf(values: readonly unknown[]): string {
  const allowed = values.filter((value) => value !== '').map(String);
  return allowed.length === 1 ? String(allowed[0]) : `one of ${allowed.join(', ')}`;
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
