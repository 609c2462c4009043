import type { AttestationRule } from '../attestation-rule.ts';
import type { Demand } from '../demand.ts';
import { decidedByDemand, minDecidersDemand, notByDemand } from './deciders.ts';
import { findingsDemand } from './findings.ts';
import { issueStatusDemand } from './issue-status.ts';
import { licensesDemand } from './licenses.ts';
import { maxAgeDemand } from './max-age.ts';
import { statementDemands } from './statements.ts';

/** What a rule asks beside name, type, compliance, approvals, and trust; in the order in which a reason says it. */
export function demandsOf(rule: AttestationRule): Demand[] {
  const demands: Demand[] = [];
  if (rule.max_age !== undefined) demands.push(maxAgeDemand(rule.max_age));
  if (rule.findings !== undefined) demands.push(findingsDemand(rule.findings));
  if (rule.licenses !== undefined) demands.push(licensesDemand(rule.licenses));
  demands.push(...statementDemands(rule));
  if (rule.issue_status !== undefined) demands.push(issueStatusDemand(rule.issue_status));
  if (rule.decided_by !== undefined) demands.push(decidedByDemand(rule.decided_by));
  if (rule.not_by !== undefined) demands.push(notByDemand(rule.not_by, rule.type));
  if (rule.min_deciders !== undefined) demands.push(minDecidersDemand(rule.min_deciders));
  return demands;
}
