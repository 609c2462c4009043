import { remedyFor } from '@waymark/attestation-kinds';
import { type Approvals, approvalsOf, barsNobody } from './approvals.ts';
import type { NotBy } from './demands/decider-fields.ts';
import { barredBy } from './demands/deciders.ts';
import type { AttestationEvidence, FlowEvidence, PullRequestEvidence } from './evidence.ts';
import { counted, inFlow, listed, ofFlow } from './in-words.ts';
import { type Complaint, withReasons } from './reasons-in-words.ts';
import type { AttestationRequirement } from './rule.ts';

export function explainFailing(
  { mustBeCompliant, minApprovals, notBy }: AttestationRequirement,
  flow: FlowEvidence,
  attestation: AttestationEvidence,
): Complaint {
  return minApprovals === null || (mustBeCompliant && !attestation.isCompliant)
    ? explainNotCompliant(flow, attestation)
    : explainApprovals(minApprovals, notBy, flow, attestation);
}

function explainNotCompliant(flow: FlowEvidence, attestation: AttestationEvidence): Complaint {
  const { name, type, isOverride, reasons } = attestation;
  const verdict = isOverride ? 'was overridden as not compliant' : 'is not compliant';
  return {
    found: withReasons(`${inFlow(flow)} '${name}' of type ${type} ${verdict}`, reasons),
    fix: `${stepOf(attestation)} and report '${name}' again ${ofFlow(flow)}, or override it with a reason.`,
  };
}

/** A decision is about a control, which says more than its kind. */
function stepOf(attestation: AttestationEvidence): string {
  const { isOverride, control } = attestation;
  if (!isOverride && control !== null) return `Decide control '${control}' again`;
  return remedyFor(attestation);
}

function explainApprovals(
  needed: number,
  notBy: NotBy | null,
  flow: FlowEvidence,
  attestation: AttestationEvidence,
): Complaint {
  const { name, type, isOverride, pullRequests } = attestation;
  const barredIn = notBy === null ? barsNobody : barredBy(notBy, flow);
  const lacking = (pullRequests ?? [])
    .map((pullRequest) => ({ pullRequest, approvals: approvalsOf(pullRequest, barredIn) }))
    .filter(({ approvals }) => approvals.counted.length < needed);
  const again = `and report '${name}' again ${ofFlow(flow)}, or override it with a reason.`;
  if (type === 'pull_request' && !isOverride && pullRequests === null) {
    return {
      found: `${inFlow(flow)} '${name}' no longer shows who approved: its content was erased.`,
      fix: `Report '${name}' again ${ofFlow(flow)}, or override it with a reason.`,
    };
  }
  if (lacking.length === 0) {
    return {
      found: `${inFlow(flow)} '${name}' contains no pull request.`,
      fix: `Review the change in a pull request ${again}`,
    };
  }
  const accounts = lacking.map(({ pullRequest, approvals }) => accountOf(pullRequest, approvals, needed));
  const urls = listed(lacking.map(({ pullRequest }) => pullRequest.url).toSorted());
  return {
    found: withReasons(`${inFlow(flow)} '${name}' lacks approvals`, accounts.toSorted()),
    fix: `Get the latest commit of ${urls} approved by ${people(needed)} who did not write ${notBy?.includes('committer') ? 'or commit ' : ''}any of it ${again}`,
  };
}

function accountOf({ url }: PullRequestEvidence, { counted: who, discounted }: Approvals, needed: number): string {
  const by = who.length === 0 ? '' : ` (${listed(who)})`;
  const others = discounted.length === 0 ? '' : `; ${listed(discounted)}`;
  return `${url} has ${who.length} of ${counted(needed, 'approval')}${by}${others}.`;
}

function people(count: number): string {
  return count === 1 ? 'one person' : `${count} people`;
}
