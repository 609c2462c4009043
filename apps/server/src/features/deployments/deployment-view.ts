import type * as api from '@waymark/contract';
import { epochSeconds } from '../../platform/time.ts';
import { isCommitTime } from './commit-time.reads.ts';
import type { DeploymentView } from './deployment.reads.ts';

export function toDeployment(deployment: DeploymentView, org: string, publicUrl: string): api.Deployment {
  const { environment_name, index, started_at, committed_at } = deployment;
  return {
    environment: environment_name,
    number: index,
    fingerprint: deployment.fingerprint,
    artifact_name: deployment.name,
    flow_name: deployment.flow_name ?? '',
    trail_name: deployment.trail_name ?? '',
    template_reference_name: deployment.template_name,
    git_commit: deployment.commit_sha ?? '',
    commit_url: deployment.commit_url ?? '',
    started_at: epochSeconds(started_at),
    exited_at: deployment.exited_at && epochSeconds(deployment.exited_at),
    running: deployment.until_index === null && !deployment.is_archived,
    lead_time_seconds: isCommitTime(committed_at) ? (started_at.getTime() - committed_at * 1000) / 1000 : null,
    replaced: toReplaced(deployment),
    html_url: `${publicUrl}/${org}/environments/${environment_name}/snapshots/${index}`,
  };
}

function toReplaced(deployment: DeploymentView): api.Deployment['replaced'] {
  if (deployment.replaced_index === null) return null;
  return {
    fingerprint: deployment.replaced_fingerprint ?? '',
    artifact_name: deployment.replaced_name ?? '',
    git_commit: deployment.replaced_commit ?? '',
    number: deployment.replaced_index,
  };
}
