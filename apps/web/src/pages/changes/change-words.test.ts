import { expect, it } from 'vitest';
import { linesOf, waitingWords } from './change-words.ts';

it('writes a state as lines, with text of several lines below its name', () => {
  expect(linesOf(null)).toBe('');
  expect(linesOf({ name: 'prod', description: '', version: 2, policies: ['a'], policy_yaml: 'a: 1\nb: 2\n' })).toBe(
    'name: prod\ndescription: ""\nversion: 2\npolicies: ["a"]\npolicy_yaml: |\n  a: 1\n  b: 2\n',
  );
});

it('counts what waits', () => {
  expect([waitingWords(1), waitingWords(2)]).toEqual(['1 change waits for approval', '2 changes wait for approval']);
});
