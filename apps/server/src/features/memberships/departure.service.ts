import { atLeast, type Role } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { revokeOrgKeys } from '../api-keys/org-key.service.ts';
import { type Suspended, suspendGrants } from '../api-keys/suspension.service.ts';
import { endOrgSessions } from '../sessions/org-session.service.ts';

interface Change {
  readonly user: { readonly id: string; readonly login: string };
  readonly before: Role | null;
  readonly after: Role | null;
}

/**
 * Ends what people may no longer do, and returns what of it was suspended. Whoever becomes a member again must not come
 * back with what the org's identity provider opened for them before, nor with what they made.
 */
export async function endGrants(ctx: Ctx, changes: readonly Change[]): Promise<Suspended[]> {
  const gone = changes.filter(({ after }) => after === null).map(({ user }) => user.id);
  await endOrgSessions(ctx, gone);
  await revokeOrgKeys(ctx, gone);
  const less = changes.filter(({ before, after }) => before !== null && (after === null || !atLeast(after, before)));
  return suspendGrants(
    ctx,
    less.map(({ user: { id, login }, after: role }) => ({ id, login, role })),
  );
}
