import type { Policy, PolicyEvent, PolicyVersion } from '@waymark/contract';
import { epochSeconds } from '../../platform/time.ts';
import type { PolicyView } from './policy.reads.ts';

export function toPolicy(policy: PolicyView): Policy {
  return {
    name: policy.name,
    description: policy.description,
    archived: policy.archived_at !== null,
    consuming_envs: [...policy.consuming],
    created_at: epochSeconds(policy.created_at),
    created_by: policy.created_by,
    last_modified_at: epochSeconds(policy.last_modified_at),
    versions: policy.versions.map(toVersion),
    events: policy.events.map(toEvent),
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

function toEvent(event: PolicyView['events'][number]): PolicyEvent {
  return {
    type: event.type as PolicyEvent['type'],
    timestamp: epochSeconds(event.created_at),
    user: event.created_by,
    data: JSON.parse(event.data) as PolicyEvent['data'],
  };
}
