import { expect, it } from 'vitest';
import { failingChoices } from './failing-choices.ts';

it('offers each name of an artifact once, with its other names', () => {
  const choices = failingChoices([
    { fingerprint: 'aa', name: 'web' },
    { fingerprint: 'bb', name: 'web' },
    { fingerprint: 'aa', name: 'web-canary' },
    { fingerprint: 'aa', name: 'web' },
  ]);
  expect(choices).toEqual([
    { id: 'aa web', fingerprint: 'aa', name: 'web', otherNames: ['web-canary'] },
    { id: 'aa web-canary', fingerprint: 'aa', name: 'web-canary', otherNames: ['web'] },
    { id: 'bb web', fingerprint: 'bb', name: 'web', otherNames: [] },
  ]);
});

it('offers nothing without a fingerprint', () => {
  expect(failingChoices([{ fingerprint: '', name: 'web' }])).toEqual([]);
});
