import { toComplianceStatus, toUnplaced } from '@waymark/compliance';
import type * as api from '@waymark/contract';
import { isLate } from '../../platform/evidence-receipt.ts';
import type { StoredRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { TrailListItem, TrailView } from './trail.reads.ts';
import type { TrailRow } from './trail.store.ts';
import type { TrailEvent } from './trail-events.reads.ts';

/** Trails in API replies. */

export function trailUrl(publicUrl: string, org: string, flowName: string, trailName: string): string {
  return `${publicUrl}/${org}/flows/${flowName}/trails/${trailName}`;
}

export function toTrailSummary(trail: TrailListItem, org: string, publicUrl: string, stored: StoredRows) {
  return {
    ...ownParts(trail, stored),
    flow_name: trail.flow_name,
    compliance_state: trail.judgement.status,
    is_compliant: trail.judgement.isCompliant,
    html_url: trailUrl(publicUrl, org, trail.flow_name, trail.name),
  };
}

export function toTrail(
  view: TrailView,
  events: readonly TrailEvent[],
  about: { org: string; publicUrl: string; evaluatedAt: number },
  stored: StoredRows,
): api.Trail {
  const { trail, flow, judgement, template } = view;
  const externalUrls = stored.read(trail.id, trail.external_urls, {});
  const newest = events.at(-1)?.created_at ?? trail.last_modified_at;
  return {
    ...toTrailSummary({ ...trail, flow_name: flow.name, judgement }, about.org, about.publicUrl, stored),
    id: trail.id,
    org: about.org,
    flow: { name: flow.name, tags: flow.tags },
    auto_created: trail.auto_created,
    external_urls: externalUrls,
    repo_ids: [...view.repositoryIds],
    template: { ...template.template, content: template.content as string | string[] },
    last_modified_at: Math.max(epochSeconds(newest), epochSeconds(trail.last_modified_at)),
    compliance_status: toComplianceStatus(judgement, template.id, about.evaluatedAt),
    pending: toUnplaced(judgement),
    events: events.map(toTrailEvent),
  };
}

/** Always present: clients do not check for them. */
function toGitCommitInfo(info: api.GitCommitInfo | null): api.GitCommitInfo | null {
  if (!info) return null;
  const { author, message, branch, url, timestamp } = info;
  return {
    ...info,
    author: author ?? '',
    message: message ?? '',
    branch: branch ?? '',
    url: url ?? '',
    timestamp: timestamp ?? 0,
  };
}

function ownParts(trail: TrailRow, stored: StoredRows) {
  const commit = stored.read<api.GitCommitInfo | null>(trail.id, trail.git_commit_info, null);
  const userData = stored.read<unknown>(trail.id, trail.user_data, {});
  return {
    name: trail.name,
    description: trail.description,
    git_commit_info: toGitCommitInfo(commit),
    origin_url: trail.origin_url,
    user_data: userData ?? {},
    created_at: epochSeconds(trail.created_at),
    created_by: trail.created_by,
    last_modified_at: epochSeconds(trail.last_modified_at),
    ...stored.mark(trail.id),
  };
}

export function toTrailEvent(event: TrailEvent) {
  const common = {
    timestamp: epochSeconds(event.created_at),
    user: event.created_by,
    claimed_at: event.claimed_at && epochSeconds(event.claimed_at),
    late: isLate(event.created_at, event.claimed_at),
    git_commit_info: event.commit_sha === null ? null : { sha1: event.commit_sha },
  };
  if (event.source === 'trail') return { ...common, type: event.type ?? '', changes: event.changes ?? [] };
  if (event.source === 'artifact') {
    return {
      ...common,
      type: 'artifact_creation_reported',
      artifact_name: event.name,
      template_reference_name: event.template_name ?? '',
      artifact_id: event.subject_id,
      artifact_fingerprint: event.fingerprint,
      git_commit: event.commit_sha,
    };
  }
  if (event.source === 'approval') {
    return {
      ...common,
      type: 'artifact_approval_reported',
      state: event.approval_state,
      approval_number: event.approval_number,
      reviewer: event.name,
      artifact_fingerprint: event.fingerprint,
    };
  }
  return {
    ...common,
    type: attestationEventType(event),
    attestation_id: event.subject_id,
    attestation_type: event.attestation_type,
    template_reference_name: event.name,
    target_artifact: event.template_name,
    artifact_fingerprint: event.fingerprint,
    is_compliant: event.is_compliant,
  };
}

function attestationEventType(event: TrailEvent): string {
  if (event.fingerprint) return 'artifact_attestation_reported';
  return event.template_name ? 'trail_attestation_for_artifact_reported' : 'trail_attestation_reported';
}
