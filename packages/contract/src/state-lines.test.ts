import { expect, it } from 'vitest';
import { stateLines } from './state-lines.ts';

it('writes a state as lines, with text of several lines below its name', () => {
  expect(stateLines(null)).toBe('');
  expect(stateLines({ name: 'prod', description: '', version: 2, policies: ['a'], policy_yaml: 'a: 1\nb: 2\n' })).toBe(
    'name: prod\ndescription: ""\nversion: 2\npolicies: ["a"]\npolicy_yaml: |\n  a: 1\n  b: 2\n',
  );
});
