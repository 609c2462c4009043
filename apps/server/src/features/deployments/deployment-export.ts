import { Deployment } from '@waymark/contract';
import { cellTime } from '../../platform/export/csv.ts';
import type { Exported } from '../../platform/export/handle-export.ts';

export const EXPORTED_DEPLOYMENTS: Exported<typeof Deployment> = {
  item: Deployment,
  what: 'deployments',
  columns: {
    artifact_name: ({ artifact_name }) => artifact_name,
    fingerprint: ({ fingerprint }) => fingerprint,
    environment: ({ environment }) => environment,
    snapshot: ({ number }) => number,
    started_at: ({ started_at }) => cellTime(started_at),
    exited_at: ({ exited_at }) => cellTime(exited_at),
    running: ({ running }) => running,
    lead_time_seconds: ({ lead_time_seconds }) => lead_time_seconds,
    flow_name: ({ flow_name }) => flow_name,
    trail_name: ({ trail_name }) => trail_name,
    git_commit: ({ git_commit }) => git_commit,
    commit_url: ({ commit_url }) => commit_url,
    replaced_artifact: ({ replaced }) => replaced?.artifact_name ?? null,
    replaced_fingerprint: ({ replaced }) => replaced?.fingerprint ?? null,
    html_url: ({ html_url }) => html_url,
  },
};
