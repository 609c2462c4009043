import { describe, expect, test } from 'vitest';
import { customOf, findingsOf, issuesOf, pullRequestsOf, sbomOf, statementOf, testsOf } from './evidence.ts';

const nothing = { attestation_data: {}, evaluation: null };

describe('what was read in the file outranks what was sent', () => {
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
      high: 1,
      medium: 0,
      low: 2,
      total: 3,
      findings: [{ id: 'X-1', level: 'high', message: 'bad', location: 'a.ts' }],
    };
    const sent = { snyk_results: { results: [{ high_count: 7, medium_count: 0, low_count: 0 }] } };
    expect(findingsOf({ attestation_data: sent, evaluation: read })).toMatchObject({ tool: 'Scanner 2', total: 3 });
    expect(findingsOf({ attestation_data: sent, evaluation: null })).toMatchObject({ counts: { high: 7 }, total: 7 });
  });
});

test('a list of findings that is longer than the count beside it is believed', () => {
  const results = [{ high_count: 0, medium_count: 0, low_count: 0, critical: [{ id: 'C-1', message: 'm' }] }];
  expect(findingsOf({ attestation_data: { snyk_results: { results } }, evaluation: null })).toMatchObject({
    counts: { critical: 1 },
    findings: [{ id: 'C-1', level: 'critical' }],
  });
});

test.each([testsOf, findingsOf, issuesOf, pullRequestsOf, sbomOf, statementOf, customOf])(
  'what has another shape counts as not given: %p',
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
