import { expect, it } from 'vitest';
import { complianceNow, worstCompliance } from './compliance-now.ts';

it.each([
  ['compliant', false, 'compliant'],
  ['compliant', true, 'unknown'],
  ['non-compliant', false, 'non-compliant'],
  ['non-compliant', true, 'non-compliant'],
  ['unknown', false, 'unknown'],
  ['unknown', true, 'unknown'],
  ['waived', false, 'waived'],
  ['waived', true, 'unknown'],
] as const)('of %s, stale %s, is %s now', (recorded, isStale, now) => {
  expect(complianceNow(recorded, isStale)).toBe(now);
});

it('of a logical environment is the worst of its members', () => {
  expect(worstCompliance([])).toBe('unknown');
  expect(worstCompliance(['compliant', 'compliant'])).toBe('compliant');
  expect(worstCompliance(['compliant', 'unknown'])).toBe('unknown');
  expect(worstCompliance(['unknown', 'non-compliant', 'compliant'])).toBe('non-compliant');
});
