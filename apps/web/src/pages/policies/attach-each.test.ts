import { expect, it } from 'vitest';
import { attachEach, attachedWords } from './attach-each.ts';

it('attaches to the others when one environment refuses, and says why that one did', async () => {
  const tried: string[] = [];
  const answer = await attachEach(['dev', 'staging', 'production'], async (name) => {
    tried.push(name);
    if (name === 'staging') throw new Error('staging has 100 policies');
  });
  expect(tried).toEqual(['dev', 'staging', 'production']);
  expect(answer).toMatchObject({ attached: ['dev', 'production'], error: { message: 'staging has 100 policies' } });
  expect(await attachEach(['dev'], async () => undefined)).toEqual({ attached: ['dev'], error: null });
});

it('names up to two environments', () => {
  expect(attachedWords('tests', ['dev'])).toBe('tests attached to dev');
  expect(attachedWords('tests', ['dev', 'production'])).toBe('tests attached to dev and production');
  expect(attachedWords('tests', ['a', 'b', 'c'])).toBe('tests attached to 3 environments');
});
