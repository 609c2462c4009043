import { allows, leastRole, type Permission } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { forbidden, unauthenticated } from '../../platform/errors.ts';
import { findKeyPrivilege } from '../api-keys/api-key.reads.ts';
import { lockMembers } from './membership.service.ts';
import { findRole } from './membership.store.ts';

/**
 * Returns the context with the role that the caller has now and until the transaction ends. For callers about to create
 * something that grants access: they may have lost the permission since the request arrived, and what they made was
 * suspended before the new one exists.
 */
export async function lockMaker(ctx: Ctx, permission: Permission): Promise<Ctx> {
  await lockMembers(ctx);
  const { actor } = ctx;
  if (actor.kind === 'system') return ctx;
  const role =
    actor.kind === 'user'
      ? await findRole(ctx.db, ctx.org, actor.id)
      : await findKeyPrivilege(ctx.db, ctx.org, ctx.credential?.id);
  if (!role) throw unauthenticated('You have just lost access to this org');
  if (!allows(role, permission))
    throw forbidden(`This requires the ${leastRole(permission)} role; yours is now ${role}`);
  return { ...ctx, actor: { ...actor, role } };
}
