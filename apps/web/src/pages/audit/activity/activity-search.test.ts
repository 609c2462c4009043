import { contracts } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { ActivitySearch, queryOf, SUBJECTS } from './activity-search.ts';

const listActivity = contracts.find(({ id }) => id === 'listActivity');

describe('the filter of the activity', () => {
  it('asks for all types of a subject', () => {
    expect(queryOf({ type: 'flows' })).toMatchObject({ type: ['flow', 'trail'] });
  });

  it('asks for a type as it is', () => {
    expect(queryOf({ type: 'policy.versioned' })).toMatchObject({ type: ['policy.versioned'] });
  });

  it('reaches from the first to the last second of the days', () => {
    const day = Date.UTC(2026, 10, 14) / 1000;
    expect(queryOf({ from: '2026-11-14', to: '2026-11-14' })).toMatchObject({ from: day, to: day + 86_399 });
  });

  it.each(Object.keys(SUBJECTS))('is taken by the server for %s', (type) => {
    expect(listActivity?.query?.safeParse(queryOf(ActivitySearch.parse({ type }))).error).toBeUndefined();
  });
});
