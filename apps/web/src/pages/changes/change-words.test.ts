import { expect, it } from 'vitest';
import { waitingWords } from './change-words.ts';

it('counts pending changes', () => {
  expect([waitingWords(1), waitingWords(2)]).toEqual(['1 change awaits approval', '2 changes await approval']);
});
