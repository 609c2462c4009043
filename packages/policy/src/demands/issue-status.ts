import { z } from 'zod';
import type { Demand, Unmet } from '../demand.ts';
import type { AttestationEvidence, FlowEvidence, IssueEvidence } from '../evidence.ts';
import { listed, ofFlow } from '../in-words.ts';

const MESSAGE = '"issue_status" must be a list of names of statuses, such as ["Done", "Released"].';
const STATUSES_MAX = 20;

export const IssueStatus = z
  .array(z.string({ error: MESSAGE }).min(1, { error: MESSAGE }).max(100), {
    error: ({ input }) => (input === undefined ? undefined : MESSAGE),
  })
  .min(1, { error: MESSAGE })
  .max(STATUSES_MAX, { error: `"issue_status" may have at most ${STATUSES_MAX} statuses.` })
  .meta({ description: 'The statuses of which each issue must have one, in any case; only with type jira.' });

/** Each issue counts. One in another status fails, and one whose status was not reported proves nothing. */
export function issueStatusDemand(statuses: readonly string[]): Demand {
  const accepted = new Set(statuses.map(plain));
  const words = listedOr(statuses);
  return {
    field: 'issue_status',
    value: statuses,
    inWords: `, whose issues are all in status ${words}`,
    judge(attestation, { flow }) {
      if (attestation.isOverride && attestation.isCompliant) return null;
      const { issues = [] } = attestation;
      const others = issues.filter(({ status }) => status !== undefined && !accepted.has(plain(status)));
      if (others.length > 0) return inOtherStatus(others, words, attestation, flow);
      const unknown = issues.filter(({ status }) => status === undefined);
      if (issues.length > 0 && unknown.length === 0) return null;
      return withoutStatus(unknown, attestation, flow);
    },
  };
}

function plain(status: string): string {
  return status.trim().toLowerCase();
}

function listedOr(statuses: readonly string[]): string {
  const all = statuses.map((status) => `'${status}'`);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

function inOtherStatus(
  others: readonly IssueEvidence[],
  words: string,
  { name }: AttestationEvidence,
  flow: FlowEvidence,
): Unmet {
  const keys = others.map(({ key }) => key);
  return {
    fails: true,
    context: { issues: others.map(({ key, status }) => ({ key, status })) },
    found: `'${name}' has ${listed(others.map(({ key, status }) => `issue ${key} in status '${status}'`))}`,
    fix: `Move ${listed(keys)} to ${words} and report '${name}' again ${ofFlow(flow)}, or override it with a reason.`,
  };
}

function withoutStatus(unknown: readonly IssueEvidence[], { name }: AttestationEvidence, flow: FlowEvidence): Unmet {
  const what = unknown.length === 0 ? 'any issue' : `the status of ${listed(unknown.map(({ key }) => key))}`;
  return {
    fails: false,
    context: { issues: unknown.map(({ key }) => ({ key, status: null })) },
    found: `'${name}' was reported without ${what}`,
    fix: `Report '${name}' again ${ofFlow(flow)}, with the status of each issue.`,
  };
}
