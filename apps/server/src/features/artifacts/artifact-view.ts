import { type ArtifactStatus, toArtifactStatus } from '@waymark/compliance';
import type * as api from '@waymark/contract';
import { NO_COMMIT } from '@waymark/contract';
import { isLate } from '../../platform/evidence-receipt.ts';
import { apiUrl } from '../../platform/http/links.ts';
import type { StoredRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { placesOf } from '../deployments/running.reads.ts';
import type { JudgedArtifact } from './artifact.reads.ts';
import { type ArtifactRuns, leadTimes, mergeHistory, startsOf } from './artifact-runs.ts';

export function artifactUrl(publicUrl: string, org: string, artifact: JudgedArtifact): string {
  return `${publicUrl}/${org}/flows/${artifact.flow_name}/artifacts/${artifact.fingerprint}?artifact_id=${artifact.id}`;
}

/** A reported artifact is never missing. */
export function stateOf(status: ArtifactStatus): 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE' {
  return status.status === 'MISSING' ? 'INCOMPLETE' : status.status;
}

export function toArtifactSummary(artifact: JudgedArtifact, org: string, publicUrl: string) {
  return {
    id: artifact.id,
    flow_name: artifact.flow_name,
    trail_name: artifact.trail_name,
    template_reference_name: artifact.template_name,
    fingerprint: artifact.fingerprint,
    filename: artifact.filename,
    git_commit: artifact.commit_sha ?? NO_COMMIT,
    commit_url: artifact.commit_url,
    build_url: artifact.build_url,
    state: stateOf(artifact.status),
    created_at: epochSeconds(artifact.created_at),
    html_url: artifactUrl(publicUrl, org, artifact),
  };
}

export function toArtifact(
  artifact: JudgedArtifact,
  history: api.Artifact['history'],
  about: {
    org: string;
    publicUrl: string;
    evaluatedAt: number;
    approvals: number[];
    runs: ArtifactRuns;
    stored: StoredRows;
  },
): api.Artifact {
  const sent = about.stored.read<Partial<api.ArtifactInput>>(artifact.id, artifact.content, {});
  return {
    ...toArtifactSummary(artifact, about.org, about.publicUrl),
    org: about.org,
    description: sent.description ?? '',
    git_commit_info: sent.git_commit_info ?? null,
    repo_info: sent.repo_info ?? null,
    commits_list: sent.commits_list ?? [],
    repo_url: artifact.repo_url,
    is_compliant: sent.is_compliant ?? null,
    template: sent.template ?? null,
    state_info: artifact.status.explanation.because,
    compliance_status: toArtifactStatus(artifact.status, artifact.template_id, about.evaluatedAt),
    user_data: sent.user_data ?? {},
    external_urls: sent.external_urls ?? {},
    annotations: sent.annotations ?? {},
    evidence: Object.fromEntries(
      // Required ones come first in the status and last here, so that they win among equal names.
      artifact.status.attestations.toReversed().map((slot) => [
        slot.name,
        {
          attestation_id: slot.attestationId,
          attestation_type: slot.type,
          status: slot.status,
          is_compliant: slot.isCompliant,
        },
      ]),
    ),
    approvals: about.approvals,
    ...placesOf(about.runs.places),
    deployments: startsOf(about.runs.places),
    history: mergeHistory(history, about.runs.events),
    ...leadTimes(about.runs.places, sent.git_commit_info?.timestamp, artifact.created_at),
    created_by: artifact.created_by,
    claimed_at: artifact.claimed_at && epochSeconds(artifact.claimed_at),
    late: isLate(artifact.created_at, artifact.claimed_at),
    last_modified_at: history.at(-1)?.timestamp ?? epochSeconds(artifact.created_at),
    ...about.stored.mark(artifact.id),
    api_url: apiUrl(
      about.publicUrl,
      `/artifacts/${about.org}/${artifact.flow_name}/fingerprint/${artifact.fingerprint}`,
    ),
  };
}
