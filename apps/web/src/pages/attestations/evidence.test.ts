import { describe, expect, test } from 'vitest';
import { customOf, findingsOf, issuesOf, pullRequestsOf, sbomOf, statementOf, testsOf } from './evidence.ts';

const nothing = { attestation_data: {}, evaluation: null };

describe('what was read from the file takes precedence over what was sent', () => {
  test('of tests', () => {
    const suite = { name: 'a', total: 5, failures: 1, errors: 1, skipped: 1, duration: 2 };
    const sent = { junit_results: [{ ...suite, total: 99 }] };
    expect(testsOf({ attestation_data: sent, evaluation: { suites: [suite], failed: [] } })).toMatchObject({
      total: 5,
      passed: 2,
    });
    expect(testsOf({ attestation_data: sent, evaluation: null })).toMatchObject({ total: 99, failed: [] });
  });

  test('of findings', () => {
    const read = {
      tool: { name: 'Scanner', version: '2' },
      errors: 1,
      warnings: 0,
      notes: 2,
      total: 3,
      findings: [{ id: 'X-1', level: 'error', message: 'bad', location: 'a.ts' }],
      threshold: { fails_at: 'warning', set_by: 'org' },
    };
    const sent = { snyk_results: { results: [{ high: [{ id: 'Y-1', message: 'm' }] }] } };
    expect(findingsOf({ attestation_data: sent, evaluation: read })).toMatchObject({
      tool: 'Scanner 2',
      total: 3,
      findings: [{ id: 'X-1' }],
      threshold: { fails_at: 'warning', set_by: 'org' },
    });
  });
});

test('findings that were sent are listed beside the counts of the server', () => {
  const results = [{ critical: [{ id: 'C-1', message: 'm' }], low: [{ id: 'L-1', message: 'm' }] }];
  const attestation_data = { snyk_results: { tool: { name: 'Snyk', version: '1' }, results } };
  const evaluation = {
    errors: 1,
    warnings: 0,
    notes: 1,
    total: 2,
    threshold: { fails_at: 'error', set_by: 'default' },
  };
  expect(findingsOf({ attestation_data, evaluation })).toMatchObject({
    tool: 'Snyk 1',
    counts: { error: 1, warning: 0, note: 1 },
    findings: [
      { id: 'C-1', level: 'error' },
      { id: 'L-1', level: 'note' },
    ],
  });
});

test.each([testsOf, findingsOf, issuesOf, pullRequestsOf, sbomOf, statementOf, customOf])(
  'data of another shape counts as absent: %p',
  (read) => {
    expect(read(nothing)).toSatisfy(
      (found) => found === undefined || JSON.stringify(found) === '{"summary":[],"rules":[]}',
    );
    expect(() => read({ attestation_data: 'text', evaluation: [1] })).not.toThrow();
    expect(() =>
      read({ attestation_data: null, evaluation: { suites: 1, statement: null, rules: 'x' } }),
    ).not.toThrow();
  },
);

test('parts of a wrong type are replaced one by one', () => {
  const pull_requests = [{ url: 7, state: null, author: ['x'], approvers: 'nobody' }];
  expect(pullRequestsOf({ attestation_data: { pull_requests }, evaluation: null })).toMatchObject([
    { url: '', state: '', author: null, approvers: null },
  ]);
});
