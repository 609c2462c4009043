import { expect, it } from 'vitest';
import { type Compliance, worstOf } from './worst-of.ts';

it.each<[Compliance[], Compliance]>([
  [[], 'unknown'],
  [['compliant', 'compliant'], 'compliant'],
  [['compliant', 'unknown'], 'unknown'],
  [['unknown', 'non-compliant', 'compliant'], 'non-compliant'],
  [['non-compliant', 'unknown'], 'non-compliant'],
])('the worst of %j is %s', (parts, worst) => {
  expect(worstOf(parts)).toBe(worst);
});
