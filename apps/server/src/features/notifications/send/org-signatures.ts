import { signAsymmetric } from '@waymark/messages';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/db/db.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { type SigningKey, signingKeyOf } from '../targets/webhook-key.service.ts';
import type { SendParts } from './outgoing.ts';

const REMEMBERED = 1_000;

interface SigningParts {
  readonly db: Db;
  readonly box: SecretBox | undefined;
  readonly now?: () => Date;
}

/** Signs with the keys of orgs, which never change, and caches them. */
export function orgSignatures({ db, box, now }: SigningParts): SendParts['signWithOrgKey'] {
  const keys = new LRUCache<string, SigningKey>({ max: REMEMBERED });
  return async (orgId, text) => {
    const key = keys.get(orgId) ?? (await signingKeyOf(db, box, orgId, now));
    if (key) keys.set(orgId, key);
    return key && signAsymmetric(key.privateKey, text);
  };
}
