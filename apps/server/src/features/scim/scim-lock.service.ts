import type { Ctx } from '../../platform/ctx.ts';
import { unauthenticated } from '../../platform/errors.ts';
import { findScimKey } from '../api-keys/api-key.reads.ts';
import { lockMembers } from '../memberships/membership.service.ts';
import { findSetup } from './scim-setup.store.ts';

/**
 * Begins a change by the identity provider, with a key that was valid at the time of the request and still is when its
 * turn comes: others may take seconds before it, and one of them may be the admin who turns SCIM off.
 */
export async function lockAsProvider(ctx: Ctx): Promise<void> {
  await lockMembers(ctx);
  const setup = await findSetup(ctx.db, ctx.org);
  if (setup?.key_id == null || setup.key_id !== ctx.credential?.id) {
    throw unauthenticated('The SCIM key has just been revoked');
  }
  const key = await findScimKey(ctx.db, ctx.org, setup.key_id);
  if (key && key.suspended_at !== null) {
    throw unauthenticated('The SCIM key has just been suspended');
  }
}
