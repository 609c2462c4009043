import { expect, it } from 'vitest';
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

it.each([
  `a eq "${'\n'.repeat(1900)}`,
  `a eq "${'\\a'.repeat(900)}`,
  'a'.repeat(1999),
  'a.'.repeat(999),
  'a eq "b" and '.repeat(150),
  `${' '.repeat(1999)}"`,
  `a${' '.repeat(1900)}b`,
  `emails[${'"a"'.repeat(600)}`,
  `emails[${'a'.repeat(1900)}`,
  `emails[type${' '.repeat(1900)}`,
])('is read in no time, whatever is sent (%#)', (evil) => {
  const started = performance.now();
  expect(refusal(() => parseFilter(evil, 'and'))).toBeDefined();
  refusal(() => patch({ op: 'remove', path: evil }));
  expect(performance.now() - started).toBeLessThan(200);
});
