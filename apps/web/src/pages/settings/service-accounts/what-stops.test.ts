import type { ApiKey, WorkloadIdentity } from '@waymark/contract';
import { expect, it } from 'vitest';
import { whatStops } from './what-stops.ts';

const key = (last_used_at: number | null): ApiKey => ({
  id: 'k',
  description: 'd',
  created_at: 1,
  expires_at: 0,
  last_used_at,
  replaced_by: null,
  made_by: null,
  suspended_at: null,
  suspends_at: null,
  scope: null,
});
const rule: WorkloadIdentity = {
  id: 'r',
  name: 'web-main',
  service_account: 'builder',
  issuer: 'https://gitlab.com',
  claims: {},
  active: true,
  created_at: 1,
  created_by: 'ada',
  suspended_at: null,
  suspends_at: null,
  scope: null,
};

it('counts what stops, and says when it was last used', () => {
  expect(whatStops([key(5), key(9), key(null)], [rule])).toEqual({
    says: '3 keys and 1 workload identity rule stop working at once. This cannot be undone.',
    lastUsedAt: 9,
  });
  expect(whatStops([key(null)], [])).toEqual({
    says: '1 key stops working at once. This cannot be undone.',
    lastUsedAt: null,
  });
});

it('claims nothing that it does not know', () => {
  expect(whatStops(undefined, undefined).says).toBe('All its keys stop working at once. This cannot be undone.');
});
