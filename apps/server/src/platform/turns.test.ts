import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

it('lets one after another work on a subject, in their order, and others at once', async () => {
  const { inTurn } = createTurns();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await pause(5);
    seen.push(`${name} ends`);
    return name;
  };
  const done = await Promise.all([inTurn('a', work('1')), inTurn('a', work('2')), inTurn('b', work('3'))]);
  expect(done).toEqual(['1', '2', '3']);
  expect(seen.indexOf('2 begins')).toBeGreaterThan(seen.indexOf('1 ends'));
  expect(seen.indexOf('3 begins')).toBeLessThan(seen.indexOf('1 ends'));
});

it('goes on after work that failed', async () => {
  const { inTurn } = createTurns();
  const failed = inTurn('a', () => Promise.reject(new Error('no')));
  const next = inTurn('a', async () => 'yes');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await inTurn('a', async () => 'again')).toBe('again');
});

it('refuses more than can be meant', async () => {
  const { inTurn, figures } = createTurns();
  const answers = await Promise.allSettled(Array.from({ length: 70 }, () => inTurn('a', () => pause(1))));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(64);
  expect(answers.find((answer) => answer.status === 'rejected')).toMatchObject({ reason: { code: 'unavailable' } });
  expect(figures()).toMatchObject({ running: 0, waiting: 0, admitted: 64, refused: 6 });
});
