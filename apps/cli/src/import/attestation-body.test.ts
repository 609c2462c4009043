import { describe, expect, it } from 'vitest';
import { attestationBody } from './attestation-body.ts';

const ID = 'f7cd9b3a-2738-47e6-be36-689d511d';
const given = (type: string, more: object = {}) => ({
  attestation_id: ID,
  attestation_name: 'check',
  attestation_type: type,
  ...more,
});

describe('a service that keeps what a type has of its own beside the common fields', () => {
  it.each([
    ['generic', { is_compliant: true }, { is_compliant: true }],
    ['junit', { junit_results: [] }, { junit_results: [] }],
    ['snyk', { processed_snyk_results: { results: [] } }, { snyk_results: { results: [] } }],
    ['sonar', { sonar_results: { revision: 'a' } }, { sonar_results: { revision: 'a' } }],
    ['jira', { jira_results: [] }, { jira_results: [] }],
    ['pull_request', { pull_requests: [] }, { git_provider: 'unknown', pull_requests: [] }],
    ['custom:cover', { attestation_data: [1] }, { type_name: 'cover', attestation_data: [1] }],
    [
      'system:decision',
      { control: 'C-1', attestation_data: { is_compliant: false } },
      { control: 'C-1', attestation_data: { is_compliant: false } },
    ],
    [
      'override',
      { is_compliant: true, override_reason: 'flaky', original_attestation_type: 'generic' },
      { reason: 'flaky', new_compliance_status: true, original_attestation_type: 'generic' },
    ],
  ])('%s', (type, sent, own) => {
    expect(attestationBody(given(type, sent))?.body).toEqual({ attestation_name: 'check', annotations: {}, ...own });
  });
});

it('reads the same from attestation_data', () => {
  const data = { git_provider: 'github', pull_requests: [{ url: 'https://git.example.com/1', state: 'MERGED' }] };
  expect(attestationBody(given('pull_request', { attestation_data: data }))?.body).toMatchObject(data);
});

it('leaves out members that the target refuses, and names them', () => {
  const sent = { junit_results: [{ name: 'a', failures: 0, errors: 0, skipped: 0, total: 1, duration: 1, flaky: 2 }] };
  const found = attestationBody(
    given('junit', { ...sent, git_commit_info: { sha1: 'a'.repeat(40), pushed_by: 'ada' } }),
  );
  expect(found?.dropped).toEqual(['junit_results.flaky']);
  expect(found?.body['junit_results']).toEqual([
    { name: 'a', failures: 0, errors: 0, skipped: 0, total: 1, duration: 1 },
  ]);
  expect(found?.body['git_commit_info']).toEqual({ sha1: 'a'.repeat(40), pushed_by: 'ada' });
});

it('does not know a type that only the source has', () => {
  expect(attestationBody(given('horoscope'))).toBeUndefined();
});
