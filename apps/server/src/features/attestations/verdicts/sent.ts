import type * as api from '@waymark/contract';
import type { z } from 'zod';
import { counted, firstOf, type Verdict, verdict } from '../verdict.ts';

/** Verdicts that follow from what was sent alone. */

type Body<C extends { body: z.ZodType }> = z.output<C['body']>;

export function judgeGeneric(body: Body<typeof api.attestGeneric>): Verdict {
  return verdict(body.is_compliant ? [] : ['The reporter says that it is not compliant.']);
}

export function judgeDecision(body: Body<typeof api.attestDecision>): Verdict {
  const decided = `It was decided that control ${body.control} is not satisfied.`;
  return verdict(body.attestation_data.is_compliant ? [] : [decided], { control: body.control });
}

export function judgeSonar(body: Body<typeof api.attestSonar>): Verdict {
  const status = body.sonar_results.qualityGate?.status;
  if (status === undefined) return verdict(['There is no quality gate in the results.']);
  return verdict(status.toUpperCase() === 'OK' ? [] : [`The quality gate has the status ${status}, not OK.`]);
}

export function judgeJira(body: Body<typeof api.attestJira>): Verdict {
  if (body.jira_results.length === 0) return verdict(['There is no reference to an issue.']);
  const missing = body.jira_results.filter((issue) => !issue.issue_exists).map((issue) => issue.issue_id);
  return verdict(missing.length === 0 ? [] : [`There is no issue ${missing.slice(0, 20).join(', ')}.`]);
}

export function judgePullRequest(body: Body<typeof api.attestPullRequest>): Verdict {
  return verdict(body.pull_requests.length > 0 ? [] : ['There is no pull request for the commit.']);
}

interface Tests {
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
  readonly total: number;
}

export function judgeFindingCounts(
  found: { high: number; medium: number; low: number },
  findings: readonly string[] = [],
): string[] {
  const bad = (['high', 'medium', 'low'] as const).filter((level) => found[level] > 0);
  if (bad.length === 0) return [];
  return [
    `There are findings: ${bad.map((level) => `${found[level]} ${level}`).join(', ')}${findings.length === 0 ? '' : ` (${firstOf(findings)})`}.`,
  ];
}

/** A list that is longer than the count beside it is believed, and what is critical is high. */
export function judgeSnykResults({ results }: NonNullable<Body<typeof api.attestSnyk>['snyk_results']>): Verdict {
  if (results.length === 0) throw invalidField('snyk_results.results', 'is empty: nothing was scanned');
  const found = { high: 0, medium: 0, low: 0 };
  for (const { high_count, high, critical_count, critical, medium_count, medium, low_count, low } of results) {
    found.high += Math.max(high_count, high?.length ?? 0) + Math.max(critical_count ?? 0, critical?.length ?? 0);
    found.medium += Math.max(medium_count, medium?.length ?? 0);
    found.low += Math.max(low_count, low?.length ?? 0);
  }
  return verdict(judgeFindingCounts(found));
}

export function judgeJunitResults(results: NonNullable<Body<typeof api.attestJunit>['junit_results']>): Verdict {
  const sum = (key: keyof Tests) => results.reduce((all, suite) => all + suite[key], 0);
  const tests = { failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped'), total: sum('total') };
  return judgeTests(tests, [], {});
}
