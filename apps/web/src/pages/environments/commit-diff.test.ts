import { expect, it } from 'vitest';
import { commitDiff } from './commit-diff.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

it.each([
  [
    `https://git.example.com/o/r/commit/${A}`,
    `https://git.example.com/o/r/commit/${B}`,
    `https://git.example.com/o/r/compare/${A}...${B}`,
  ],
  [
    `https://git.example.com/g/r/-/commit/${A}`,
    `https://git.example.com/g/r/-/commit/${B}`,
    `https://git.example.com/g/r/-/compare/${A}...${B}`,
  ],
  [
    `https://bitbucket.org/o/r/commits/${A}`,
    `https://bitbucket.org/o/r/commits/${B}`,
    `https://bitbucket.org/o/r/branches/compare/${B}..${A}#diff`,
  ],
  [`https://git.example.com/o/r/commit/${A}`, `https://git.example.com/o/other/commit/${B}`, ''],
  [`https://git.example.com/o/r/commit/${A}`, `https://git.example.com/o/r/commit/${A}`, ''],
  ['', `https://git.example.com/o/r/commit/${A}`, ''],
  [`javascript:x/o/r/commit/${A}`, `javascript:x/o/r/commit/${B}`, ''],
])('%s and %s', (before, after, diff) => expect(commitDiff(before, after)).toBe(diff));
