import type * as api from '@waymark/contract';
import type { z } from 'zod';
import { counted, type EvidenceVerdict, firstOf, verdict } from '../verdict.ts';

/** Verdicts derived from the sent body alone. */

type Body<C extends { body: z.ZodType }> = z.output<C['body']>;

export function judgeGeneric(body: Body<typeof api.attestGeneric>): EvidenceVerdict {
  return verdict(body.is_compliant ? [] : ['The reporter marked it as not compliant.']);
}

export function judgeDecision(body: Body<typeof api.attestDecision>): EvidenceVerdict {
  const decided = `Control ${body.control} was decided as not satisfied.`;
  return verdict(body.attestation_data.is_compliant ? [] : [decided], { control: body.control });
}

export function judgeSonar(body: Body<typeof api.attestSonar>): EvidenceVerdict {
  const status = body.sonar_results.qualityGate?.status;
  if (status === undefined) return verdict(['The results contain no quality gate.']);
  return verdict(status.toUpperCase() === 'OK' ? [] : [`The quality gate has the status ${status}, not OK.`]);
}

export function judgeJira(body: Body<typeof api.attestJira>): EvidenceVerdict {
  if (body.jira_results.length === 0) return verdict(['No issue is referenced.']);
  const missing = body.jira_results.filter((issue) => !issue.issue_exists).map((issue) => issue.issue_id);
  return verdict(missing.length === 0 ? [] : [`These issues do not exist: ${missing.slice(0, 20).join(', ')}.`]);
}

export function judgePullRequest(body: Body<typeof api.attestPullRequest>): EvidenceVerdict {
  return verdict(body.pull_requests.length > 0 ? [] : ['No pull request exists for the commit.']);
}

interface Tests {
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
  readonly total: number;
}

/** Compliant when tests ran and none failed. Without tests there is no failure, but no proof either. */
export function judgeTests(tests: Tests, failed: readonly string[], more: Partial<EvidenceVerdict>): EvidenceVerdict {
  const bad = [
    ...(tests.failures > 0 ? [counted(tests.failures, 'failure')] : []),
    ...(tests.errors > 0 ? [counted(tests.errors, 'error')] : []),
  ];
  if (bad.length > 0) {
    const first = failed.length === 0 ? '' : `: ${firstOf(failed)}`;
    return verdict([`${bad.join(' and ')} in ${counted(tests.total, 'test')}${first}.`], more);
  }
  if (tests.total > tests.skipped) return verdict([], more);
  const reason =
    tests.total === 0
      ? 'No test ran: the report contains no tests.'
      : `No test ran: ${counted(tests.total, 'test')} skipped.`;
  return verdict([reason], { ...more, outcome: 'no_tests' });
}

export function judgeJunitResults(
  results: NonNullable<Body<typeof api.attestJunit>['junit_results']>,
): EvidenceVerdict {
  const sum = (key: keyof Tests) => results.reduce((all, suite) => all + suite[key], 0);
  const tests = { failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped'), total: sum('total') };
  return judgeTests(tests, [], {});
}
