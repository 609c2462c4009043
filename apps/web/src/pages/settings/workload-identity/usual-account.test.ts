import { expect, it } from 'vitest';
import { canRecordEvidence, usualAccount } from './usual-account.ts';

const audit = { name: 'audit', privilege: 'reader' } as const;
const ci = { name: 'ci', privilege: 'member' } as const;

it('jobs act as an account that may record evidence, if there is one', () => {
  expect(usualAccount([audit, ci])).toBe(ci);
  expect(usualAccount([audit])).toBe(audit);
  expect(usualAccount([])).toBeUndefined();
  expect(canRecordEvidence(audit)).toBe(false);
});
