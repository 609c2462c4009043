import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { describeFailures, summarise } from './ci-summary.ts';

const file = (status: string, ...tests: string[]) => ({
  name: resolve('apps/server/src/some.test.ts'),
  status,
  message: 'it did not load',
  assertionResults: tests.map((test) => ({ fullName: `it ${test}`, status: test, failureMessages: ['expected 1'] })),
});

it('counts tests, and leaves skipped ones out', () => {
  const report = { testResults: [file('passed', 'passed', 'skipped'), file('failed', 'passed', 'failed', 'failed')] };

  expect(summarise(report, 1)).toEqual({ passed: 2, failed: 2 });
});

it('counts a file that did not load, or whose hook threw, as a failure', () => {
  const report = { testResults: [file('passed', 'passed'), file('failed'), file('failed', 'skipped')] };

  expect(summarise(report, 1)).toEqual({ passed: 1, failed: 2 });
});

it('has a failure when the run failed although every test passed', () => {
  expect(summarise({ testResults: [file('passed', 'passed')] }, 1)).toEqual({ passed: 1, failed: 1 });
});

it('has a failure when there is no report', () => {
  expect(summarise(undefined, 0)).toEqual({ passed: 0, failed: 1 });
});

it('has no failure when all went well', () => {
  expect(summarise({ testResults: [file('passed', 'passed')] }, 0)).toEqual({ passed: 1, failed: 0 });
});

it('names the failures, with the beginning of their message', () => {
  const report = { testResults: [file('failed', 'passed', 'failed'), file('failed'), file('passed', 'passed')] };

  expect(describeFailures(report)).toEqual([
    'failed: apps/server/src/some.test.ts: it failed\nexpected 1',
    'failed: apps/server/src/some.test.ts\nit did not load',
  ]);
});
