import { expect, it } from 'vitest';
import { outcomesOf } from './outcomes.ts';

it('counts each state that occurs', () => {
  const states = ['failed', 'delivered', 'failed'] as const;
  expect(outcomesOf(states.map((state) => ({ state })))).toEqual([
    { state: 'delivered', count: 1 },
    { state: 'failed', count: 2 },
  ]);
});
