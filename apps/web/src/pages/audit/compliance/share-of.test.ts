import { expect, it } from 'vitest';
import { shareOf } from './share-of.ts';

const day = { compliant: 0, non_compliant: 0, unknown: 0, no_data: 0, waived: false, snapshots: 0 };
const days = (...all: Partial<typeof day>[]) => ({
  environments: [{ name: 'prod', type: 'K8S' as const, days: all.map((each) => ({ ...day, ...each })) }],
});

it('weighs by time, and leaves out what was not judged', () => {
  expect(shareOf(days({ compliant: 300, non_compliant: 100 }, { no_data: 400 }))).toBe(
    'The environments on this page were compliant for 75% of their evaluated time. 50% of the time since their first reports was not evaluated.',
  );
});

it('does not round up to 100% when a second was non-compliant', () => {
  expect(shareOf(days({ compliant: 86_399, non_compliant: 1 }))).toMatch(/99\.9%/);
});

it('does not count the days before an environment was first reported', () => {
  expect(shareOf(days({}, {}, { compliant: 300, non_compliant: 100 }))).toBe(
    'The environments on this page were compliant for 75% of their evaluated time.',
  );
});

it('says when nothing was judged', () => {
  expect(shareOf(days({ unknown: 400 }))).toMatch(/^Nothing was evaluated/);
});
