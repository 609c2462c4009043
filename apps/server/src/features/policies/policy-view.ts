import type { Policy, PolicyEvent, PolicyVersion } from '@waymark/contract';
import type { StoredRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { PolicyView } from './policy.reads.ts';

/** `stored` are the rows of its events. */
export function toPolicy(policy: PolicyView, stored: StoredRows): Policy {
  return {
    name: policy.name,
    description: policy.description,
    archived: policy.archived_at !== null,
    consuming_envs: [...policy.consuming],
    report_only_envs: [...policy.reportOnly],
    created_at: epochSeconds(policy.created_at),
    created_by: policy.created_by,
    last_modified_at: epochSeconds(policy.last_modified_at),
    versions: policy.versions.map(toVersion),
    events: policy.events.map((event) => toEvent(event, stored)),
  };
}

function toVersion(version: PolicyView['versions'][number]): PolicyVersion {
  return {
    version: version.version,
    comment: version.comment,
    created_by: version.created_by,
    timestamp: epochSeconds(version.created_at),
    policy_yaml: version.policy_yaml,
  };
}

function toEvent(event: PolicyView['events'][number], stored: StoredRows): PolicyEvent {
  const key = `${event.policy_id}/${event.no}`;
  return {
    type: event.type as PolicyEvent['type'],
    timestamp: epochSeconds(event.created_at),
    user: event.created_by,
    data: stored.read<PolicyEvent['data']>(key, event.data, {}),
    ...stored.mark(key),
  };
}
