import { hash } from 'node:crypto';
import {
  ENGINE_VERSION,
  type Explanation,
  type Judgement,
  statusOfArtifact,
  toArtifactStatus,
  toExplanation,
} from '@waymark/compliance';
import { isLate } from '../../../platform/evidence-receipt.ts';
import { requireStored, wholeRows } from '../../../platform/stored-json.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { toAttestation } from '../../attestations/attestation-view.ts';
import type { TrailView } from '../../trails/trail.reads.ts';
import { trailUrl } from '../../trails/trail-view.ts';
import type { PackagedApproval, PackagedArtifact, PackagedAttestation } from './record.reads.ts';
import type { Attachment } from './scope.reads.ts';

/** What all records of a package have: where they are from. */
export interface RecordContext {
  readonly org: string;
  readonly flowName: string;
  readonly trailName: string;
  readonly publicUrl: string;
}

/** Identifies the trail, without a verdict on it. */
export function trailIdentity(trail: TrailView['trail'], place: RecordContext) {
  return {
    id: trail.id,
    org: place.org,
    flow_name: place.flowName,
    name: trail.name,
    description: trail.description,
    git_commit_info: wholeRows('trail').read<unknown>(trail.id, trail.git_commit_info, null),
    origin_url: trail.origin_url,
    auto_created: trail.auto_created,
    created_at: epochSeconds(trail.created_at),
    created_by: trail.created_by,
    html_url: trailUrl(place.publicUrl, place.org, place.flowName, trail.name),
  };
}

export function artifactRecord(row: PackagedArtifact, place: RecordContext, judged: Judged) {
  return {
    id: row.id,
    org: place.org,
    flow_name: place.flowName,
    trail_name: place.trailName,
    template_reference_name: row.template_name,
    fingerprint: row.fingerprint,
    filename: row.filename,
    git_commit: row.commit_sha,
    commit_url: row.commit_url,
    build_url: row.build_url,
    repo_url: row.repo_url,
    sent: requireStored<unknown>('artifact', row.id, row.content),
    content_sha256: hash('sha256', row.content),
    compliance_status: toArtifactStatus(statusOfArtifact(judged.judgement, row), judged.templateId, judged.evaluatedAt),
    ...received(row),
  };
}

export interface Judged {
  readonly judgement: Judgement;
  readonly templateId: string;
  readonly evaluatedAt: number;
}

/** Includes all inputs for judging again: engine, template and time. */
export function explanationRecord(explanation: Explanation, { templateId, evaluatedAt }: Judged) {
  return {
    judged_by: { compliance: ENGINE_VERSION },
    flow_template_id: templateId,
    evaluated_at: evaluatedAt,
    ...(toExplanation(explanation) as object),
  };
}

export function attestationRecord(row: PackagedAttestation, place: RecordContext, attachment: Attachment | undefined) {
  const view = toAttestation(
    { ...row, flow_name: place.flowName, trail_name: place.trailName },
    place.org,
    place.publicUrl,
    wholeRows('attestation'),
  );
  return {
    ...view,
    sent: row.content === null ? null : requireStored<unknown>('attestation', row.id, row.content),
    attachment: attachment?.path ?? null,
  };
}

export function approvalRecord(row: PackagedApproval, place: RecordContext) {
  return {
    approval_number: row.number,
    org: place.org,
    flow_name: place.flowName,
    trail_name: place.trailName,
    artifact_fingerprint: row.fingerprint,
    artifact_name: row.filename,
    state: row.state,
    reviewer: row.reviewer,
    description: row.description,
    environment: row.environment,
    sent: requireStored<unknown>('approval', `${row.flow_id}/${row.number}`, row.content),
    content_sha256: hash('sha256', row.content),
    ...received(row),
  };
}

function received(row: { created_at: Date; created_by: string; claimed_at: Date | null }) {
  return {
    created_at: epochSeconds(row.created_at),
    created_by: row.created_by,
    claimed_at: row.claimed_at && epochSeconds(row.claimed_at),
    late: isLate(row.created_at, row.claimed_at),
  };
}
