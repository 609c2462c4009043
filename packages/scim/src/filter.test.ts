import { expect, it } from 'vitest';
import { growthOf, IN_PROPORTION } from '../../../tools/growth.ts';
import { parseFilter } from './filter.ts';
import { patch, refusal } from './given/patches.ts';

it.each([
  ['userName eq "a\\"b"', [{ attribute: 'username', value: 'a"b' }]],
  [
    ' USERNAME EQ "\\u0041 and b" and active eq TRUE ',
    [
      { attribute: 'username', value: 'A and b' },
      { attribute: 'active', value: true },
    ],
  ],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', [{ attribute: 'username', value: 'a' }]],
  ['emails[type eq "work"].value eq "a"', [{ attribute: 'emails.value', value: 'a' }]],
])('%s is read', (filter, comparisons) => {
  expect(parseFilter(filter, 'and')).toEqual(comparisons);
});

it.each([
  '',
  'userName',
  'userName eq',
  'userName eq x',
  'userName co "x"',
  'userName eq "a" or x eq "b"',
  'userName eq "a" x',
  '(userName eq "a")',
  'userName eq "\n"',
  'userName eq "a" and ',
  'userName eq "\\u0000"',
  'userName eq "\\ud800"',
  '"',
  `a eq "${'x'.repeat(3000)}"`,
])('%j is refused', (filter) => {
  expect(refusal(() => parseFilter(filter, 'and'))).toBe('invalidFilter');
});

const HOSTILE: readonly (readonly [string, (count: number) => string])[] = [
  ['line breaks in a text', (count) => `a eq "${'\n'.repeat(count)}`],
  ['escapes in a text', (count) => `a eq "${'\\a'.repeat(count / 2)}`],
  ['letters', (count) => 'a'.repeat(count)],
  ['dots', (count) => 'a.'.repeat(count / 2)],
  ['comparisons', (count) => 'a eq "b" and '.repeat(count / 13)],
  ['spaces before a quote', (count) => `${' '.repeat(count)}"`],
  ['spaces between words', (count) => `a${' '.repeat(count)}b`],
  ['texts in brackets', (count) => `emails[${'"a"'.repeat(count / 3)}`],
  ['letters in brackets', (count) => `emails[${'a'.repeat(count)}`],
  ['spaces in brackets', (count) => `emails[type${' '.repeat(count)}`],
];

it.each(HOSTILE)('is read in proportion to its length, with %s', (_, textOf) => {
  const workOf = (count: number) => {
    const evil = textOf(count);
    return () => [refusal(() => parseFilter(evil, 'and')), refusal(() => patch({ op: 'remove', path: evil }))];
  };
  expect(workOf(1_900)()[0]).toBeDefined();
  expect(growthOf(workOf, 475)).toBeLessThan(IN_PROPORTION);
});
