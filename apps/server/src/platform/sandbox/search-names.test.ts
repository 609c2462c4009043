import { expect, it } from 'vitest';
import { searchNames } from './search-names.ts';

const NAMES = ['unit', 'lint', 'unit-web'];

it('finds names, and returns an upper bound of the work', () => {
  expect(searchNames({ pattern: '^unit', names: NAMES, steps: 1e6 })).toEqual({
    found: ['unit', 'unit-web'],
    searched: 3,
    steps: 7 * (5 + 5 + 9),
  });
});

it('stops when its steps are used up', () => {
  expect(searchNames({ pattern: '^unit', names: NAMES, steps: 40 })).toMatchObject({ found: ['unit'], searched: 2 });
});

it.each([
  ['(', 'is no regular expression in RE2 syntax'],
  ['\\pL{480}', 'has 482 steps, and 200 is the most. Repeat less'],
])('does not run %s', (pattern, problem) => {
  expect(searchNames({ pattern, names: NAMES, steps: 1e6 })).toEqual({ problem: expect.stringContaining(problem) });
});
