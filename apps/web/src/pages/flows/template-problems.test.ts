import { expect, test } from 'vitest';
import { offsetOf, templateProblems, templateText } from './template-problems.ts';

test('finds each position that the server names', () => {
  const reply =
    "is not a valid template: line 3, column 5: 'attestation' is no key here; did you mean 'attestations'?\nline 9, column 1: A name must not be empty.\nand 2 more";
  expect(templateProblems(reply)).toEqual([
    { line: 3, column: 5, message: "'attestation' is no key here; did you mean 'attestations'?" },
    { line: 9, column: 1, message: 'A name must not be empty.' },
  ]);
  expect(templateProblems(undefined)).toEqual([]);
  expect(templateProblems('must be YAML text of at most 64 KiB')).toEqual([]);
});

test('the offset of a position', () => {
  const text = 'version: 1\ntrail:\n  x: 1\n';
  expect(text.slice(offsetOf(text, { line: 3, column: 3 }))).toBe('x: 1\n');
  expect(offsetOf(text, { line: 99, column: 1 })).toBe(text.length);
});

test('the older form is a list of names', () => {
  expect(templateText(['artifact', 'tests'])).toBe('artifact\ntests');
});
