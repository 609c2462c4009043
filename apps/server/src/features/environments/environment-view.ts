import type { Environment } from '@waymark/contract';
import { epochSeconds } from '../../platform/time.ts';
import type { EnvironmentView } from './environment.reads.ts';

/** `url` is the address of the page that lists environments. */
export function toEnvironment(environment: EnvironmentView, org: string, url: string): Environment {
  const { compliance, compliance_now } = environment;
  return {
    id: environment.id,
    org,
    name: environment.name,
    type: environment.type,
    description: environment.description,
    state: compliance === 'unknown' ? null : compliance === 'compliant',
    compliance: compliance_now,
    include_scaling: environment.include_scaling,
    require_provenance: environment.require_provenance,
    expected_report_interval_s: environment.expected_report_interval_s,
    policies: [...environment.policies],
    included_environments: [...environment.included],
    tags: environment.tags,
    latest_snapshot_index: environment.snapshot_count,
    last_reported_at: secondsOrNull(environment.last_reported_at),
    last_changed_at: secondsOrNull(environment.last_changed_at),
    stale: environment.stale_since !== null,
    stale_since: secondsOrNull(environment.stale_since),
    created_at: epochSeconds(environment.created_at),
    created_by: environment.created_by,
    last_modified_at: epochSeconds(environment.last_modified_at),
    html_url: `${url}/${environment.name}`,
  };
}

function secondsOrNull(at: Date | null): number | null {
  return at && epochSeconds(at);
}
