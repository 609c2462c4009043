import { type Html, html, type Part } from '../../platform/http/html.ts';
import type { TrailEvent } from '../trails/trail-events.reads.ts';
import { toTrailEvent } from '../trails/trail-view.ts';
import type { ApprovalRow, ArtifactRow, AttestationRow } from './record.reads.ts';
import type { Attachment } from './scope.reads.ts';
import { verdictMark } from './verdict-mark.ts';

/** What the report says of each record. Addresses that were sent are text and never links. */

export const ARTIFACT_COLUMNS = ['File', 'Fingerprint', 'In the template', 'Commit', 'Reported', 'By', 'Record'];

export function artifactCells(row: ArtifactRow): Part[] {
  return [
    text(row.filename),
    html`<code>${row.fingerprint}</code>`,
    text(row.template_name),
    html`<code>${row.commit_sha ?? ''}</code>`,
    time(row.created_at),
    text(row.created_by),
    html`<a href="records/artifacts/${row.id}.json">JSON</a>`,
  ];
}

export const ATTESTATION_COLUMNS = [
  'Name',
  'Type',
  'Verdict',
  'About',
  'Trust',
  'Received',
  'By',
  'Record',
  'Attachment',
];

export function attestationCells(row: AttestationRow, attachment: Attachment | undefined): Part[] {
  const { reasons } = JSON.parse(row.verdict) as { reasons: string[] };
  return [
    text(row.name),
    text(row.type),
    [verdictMark(row.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT'), reasons.map((reason) => html`<br>${reason}`)],
    aboutWhat(row),
    row.trust,
    time(row.created_at),
    text(row.created_by),
    html`<a href="records/attestations/${row.id}.json">JSON</a>`,
    attachment && html`<a href="${attachment.path}"><bdi>${row.attachment_name ?? attachment.name}</bdi></a>`,
  ];
}

function aboutWhat(row: AttestationRow): Part {
  if (row.fingerprint) return html`<code>${row.fingerprint}</code>`;
  if (!row.target_artifact) return 'the trail';
  return html`<bdi>${row.target_artifact}</bdi> of <code>${row.commit_sha ?? ''}</code>`;
}

export const APPROVAL_COLUMNS = ['Number', 'State', 'Artifact', 'Reviewer', 'Received', 'By', 'Record'];

export function approvalCells(row: ApprovalRow): Part[] {
  return [
    row.number,
    row.state,
    html`<code>${row.fingerprint}</code>`,
    text(row.reviewer),
    time(row.created_at),
    text(row.created_by),
    html`<a href="records/approvals/${row.number}.json">JSON</a>`,
  ];
}

export const EVENT_COLUMNS = ['When', 'What', 'Name', 'By'];

export function eventCells(event: TrailEvent): Part[] {
  return [time(event.created_at), toTrailEvent(event).type, text(event.name), text(event.created_by)];
}

export function time(at: Date): Html {
  return html`<time>${at.toISOString()}</time>`;
}

/** Text of others, whose direction must not turn around what stands beside it. */
function text(value: string | null): Html {
  return html`<bdi>${value ?? ''}</bdi>`;
}
