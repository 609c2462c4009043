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
  ['(', 'is not a valid RE2 regular expression'],
  ['\\pL{480}', 'has 482 steps, and the maximum is 200. Use fewer repetitions'],
])('does not run %s', (pattern, problem) => {
  expect(searchNames({ pattern, names: NAMES, steps: 1e6 })).toEqual({ problem: expect.stringContaining(problem) });
});
