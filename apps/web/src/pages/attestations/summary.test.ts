import type { Attestation } from '@waymark/contract';
import { expect, it } from 'vitest';
import { summaryOf } from './summary.ts';

/** The fields of an attestation that the summary uses. */
const junit = (outcome: string, total: number) =>
  ({
    attestation_type: 'junit',
    outcome,
    attestation_data: { junit_results: [{ name: 'unit', total, failures: 0, errors: 0, skipped: 0, duration: 1 }] },
  }) as unknown as Attestation;

it('says that no test ran, not that none failed', () => {
  expect(summaryOf(junit('no_tests', 0))).toBe('No tests ran');
  expect(summaryOf(junit('passed', 3))).not.toBe('No tests ran');
});
