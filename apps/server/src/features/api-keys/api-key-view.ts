import type * as api from '@waymark/contract';
import { epochSeconds } from '../../platform/time.ts';
import type { KeyView } from './api-key.reads.ts';
import type { CreatedKey } from './api-key.service.ts';
import type { RotatedKey } from './rotation.service.ts';

export function toKey(key: KeyView): api.ApiKey {
  return {
    id: key.id,
    description: key.description,
    created_at: epochSeconds(key.created_at),
    expires_at: expiry(key.expires_at),
    scope: key.scope,
    last_used_at: key.last_used_at && epochSeconds(key.last_used_at),
    replaced_by: key.successor_id,
    made_by: key.maker,
    suspended_at: key.suspended_at && epochSeconds(key.suspended_at),
    suspends_at: key.suspends_at && epochSeconds(key.suspends_at),
  };
}

export function toPersonalKey(key: KeyView): api.PersonalApiKey {
  return { ...toKey(key), only_org: key.only_org };
}

export function toCreatedKey(key: CreatedKey): api.CreatedApiKey {
  return {
    id: key.id,
    key: key.text,
    description: key.description,
    created_at: epochSeconds(key.createdAt),
    expires_at: expiry(key.expiresAt),
    scope: key.scope,
    expiry_limited: key.isLimited,
  };
}

export function toRotatedKey(key: RotatedKey): api.RotatedApiKey {
  return { ...toCreatedKey(key), grace_period_expires_at: epochSeconds(key.graceEndsAt) };
}

/** In the API, 0 means never. */
function expiry(at: Date | null): number {
  return at === null ? 0 : epochSeconds(at);
}
