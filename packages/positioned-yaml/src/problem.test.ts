import { expect, it } from 'vitest';
import type { Problem } from './problem.ts';
import { describeProblems } from './problem.ts';

it('says the place of each problem', () => {
  expect(describeProblems([problemOn(3), problemOn(7)])).toBe('line 3, column 5: Wrong.\nline 7, column 5: Wrong.');
});

it('shows ten problems and counts the rest', () => {
  const lines = describeProblems(Array.from({ length: 12 }, (_, index) => problemOn(index + 1))).split('\n');

  expect(lines).toHaveLength(11);
  expect(lines.at(-2)).toBe('line 10, column 5: Wrong.');
  expect(lines.at(-1)).toBe('and 2 more');
});

function problemOn(line: number): Problem {
  return { path: 'trail', line, column: 5, message: 'Wrong.' };
}
