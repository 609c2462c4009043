import type { Ctx } from '../../platform/ctx.ts';
import { revokeOrgKeys } from '../api-keys/org-key.service.ts';
import { endOrgSessions } from '../sessions/org-session.service.ts';

/** Whoever becomes a member again must not come back with what the org's identity provider opened for them before. */
export async function endOrgCredentials(ctx: Ctx, userIds: readonly string[]): Promise<void> {
  await endOrgSessions(ctx, userIds);
  await revokeOrgKeys(ctx, userIds);
}
