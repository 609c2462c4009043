import { expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { artifactIn, asking, flow, IN_PRODUCTION, passed } from '../decide-examples.ts';
import { evidenceKey, readEvidence } from '../decide-keys.ts';
import type { AttestationEvidence, IssueEvidence } from '../evidence.ts';
import { parsePolicy } from '../parse-policy.ts';

const RULE = '{ name: ticket, type: jira, issue_status: [Done, Released] }';

function ticket(issues?: readonly IssueEvidence[], more: Partial<AttestationEvidence> = {}): AttestationEvidence {
  return { ...passed('ticket', 'jira'), ...(issues && { issues }), ...more };
}

function judge(attestation: AttestationEvidence, rule = RULE) {
  return decide(asking(rule), { name: 'production', version: 1 }, artifactIn(flow('web', attestation)), IN_PRODUCTION);
}

const DONE = { key: 'A-1', exists: true, status: 'Done' };
const OPEN = { key: 'A-2', exists: true, status: 'In Progress' };
const UNKNOWN = { key: 'A-3', exists: true };

it.each<[string, AttestationEvidence, 'COMPLIANT' | 'NON-COMPLIANT']>([
  ['in an accepted status', ticket([DONE]), 'COMPLIANT'],
  ['in another accepted status', ticket([{ ...DONE, status: 'Released' }]), 'COMPLIANT'],
  ['in any case, with spaces around', ticket([{ ...DONE, status: ' dOnE ' }]), 'COMPLIANT'],
  ['all of several', ticket([DONE, { ...DONE, key: 'A-9' }]), 'COMPLIANT'],
  ['in another status', ticket([OPEN]), 'NON-COMPLIANT'],
  ['one of several in another status', ticket([DONE, OPEN]), 'NON-COMPLIANT'],
  ['in a status that begins alike', ticket([{ ...DONE, status: 'Done?' }]), 'NON-COMPLIANT'],
  ['in the empty status', ticket([{ ...DONE, status: '' }]), 'NON-COMPLIANT'],
  ['without a status', ticket([UNKNOWN]), 'NON-COMPLIANT'],
  ['one of several without a status', ticket([DONE, UNKNOWN]), 'NON-COMPLIANT'],
  ['no issue', ticket([]), 'NON-COMPLIANT'],
  ['evidence from before statuses were read', ticket(), 'NON-COMPLIANT'],
  ['overridden as compliant', ticket([OPEN], { isOverride: true }), 'COMPLIANT'],
  ['overridden without issues', ticket(undefined, { isOverride: true }), 'COMPLIANT'],
  ['overridden as failing', ticket([DONE], { isOverride: true, isCompliant: false }), 'NON-COMPLIANT'],
  ['an issue that does not exist', ticket([DONE], { isCompliant: false }), 'NON-COMPLIANT'],
])('judges issues: %s', (_, attestation, status) => {
  expect(judge(attestation).status).toBe(status);
});

it('says which issue is in which status, and what to do', () => {
  expect(judge(ticket([DONE, OPEN])).reasons).toMatchObject([
    {
      resolution: 'non_compliant_attestation',
      message:
        "Policy 'production' requires a compliant attestation named 'ticket' of type jira, whose issues are all in " +
        "status 'Done' or 'Released'. In flow 'web', trail 'release-7', 'ticket' has issue A-2 in status 'In Progress'.",
      fix:
        "Move A-2 to 'Done' or 'Released' and report 'ticket' again in trail 'release-7' of flow 'web', or override " +
        'it with a reason.',
    },
  ]);
  expect(judge(ticket([UNKNOWN])).reasons).toMatchObject([
    {
      resolution: 'missing_attestation',
      message: expect.stringContaining("'ticket' was reported without the status of A-3."),
      fix: "Report 'ticket' again in trail 'release-7' of flow 'web', with the status of each issue.",
    },
  ]);
});

it('a status that fails counts anywhere, one that is unknown does not', () => {
  const both = (other: AttestationEvidence) =>
    decide(
      asking(RULE),
      { name: 'production', version: 1 },
      artifactIn(flow('web', ticket([DONE])), flow('audit', other)),
      IN_PRODUCTION,
    ).status;
  expect(both(ticket([OPEN]))).toBe('NON-COMPLIANT');
  expect(both(ticket([UNKNOWN]))).toBe('COMPLIANT');
});

it('is part of the evidence, where there is any', () => {
  const evidence = artifactIn(flow('web', ticket([DONE, UNKNOWN])));
  expect(readEvidence(evidenceKey(evidence))).toEqual(evidence);
  expect(evidenceKey(artifactIn(flow('web', ticket())))).not.toContain('issues');
});

it.each([
  ['Done', '"issue_status" must be a list of names of statuses, such as ["Done", "Released"].'],
  ['[]', '"issue_status" must be a list of names of statuses, such as ["Done", "Released"].'],
  ['[1]', '"issue_status" must be a list of names of statuses, such as ["Done", "Released"].'],
  [`[${Array(21).fill('x').join()}]`, '"issue_status" may have at most 20 statuses.'],
])('refuses the statuses %s', (statuses, message) => {
  const text = `_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - { type: jira, issue_status: ${statuses} }`;
  expect(parsePolicy(text)).toMatchObject({ problems: [{ message }] });
});

it('is only for issues', () => {
  const text =
    '_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - { type: junit, issue_status: [Done] }';
  expect(parsePolicy(text)).toMatchObject({
    problems: [{ message: '"issue_status" is only allowed with type "jira", not "junit".' }],
  });
});
