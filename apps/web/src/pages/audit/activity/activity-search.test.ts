import { contracts } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { ActivitySearch, queryOf, SUBJECTS } from './activity-search.ts';

const listActivity = contracts.find(({ id }) => id === 'listActivity');

describe('the filter of the activity', () => {
  it('requests all types of a subject', () => {
    expect(queryOf({ type: 'flows' })).toMatchObject({ type: ['flow', 'trail'] });
  });

  it('requests a type unchanged', () => {
    expect(queryOf({ type: 'policy.versioned' })).toMatchObject({ type: ['policy.versioned'] });
  });

  it('covers the days from their first to their last second', () => {
    const day = Date.UTC(2026, 10, 14) / 1000;
    expect(queryOf({ from: '2026-11-14', to: '2026-11-14' })).toMatchObject({ from: day, to: day + 86_399 });
  });

  it.each(Object.keys(SUBJECTS))('is accepted by the server for %s', (type) => {
    expect(listActivity?.query?.safeParse(queryOf(ActivitySearch.parse({ type }))).error).toBeUndefined();
  });
});
