import type { Review } from '@waymark/contract';
import { expect, it } from 'vitest';
import { reviewersOf, stateOf } from './approval-state.ts';

const yes = (approved_by?: string): Review => ({ state: 'APPROVED', approved_by });
const no = (approved_by?: string): Review => ({ state: 'UNAPPROVED', approved_by });

it('is a request until there is a review, and one rejection outweighs every approval', () => {
  expect(stateOf([])).toBe('PENDING');
  expect(stateOf([yes(), yes()])).toBe('APPROVED');
  expect(stateOf([no(), yes()])).toBe('UNAPPROVED');
  expect(stateOf([yes(), no()])).toBe('UNAPPROVED');
});

it('names each reviewer once, and skips empty names', () => {
  expect(reviewersOf([])).toBe('');
  expect(reviewersOf([yes('ada'), no('bob'), yes('ada'), yes(), { state: 'APPROVED', approved_by: null }])).toBe(
    'ada, bob',
  );
});
