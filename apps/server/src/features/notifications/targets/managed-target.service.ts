import { allows, leastRole } from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { forbidden, notFound } from '../../../platform/errors.ts';
import { findTarget, type StoredTarget } from './target.store.ts';

/** A target, if the caller may change it: those of a configuration are not for every member. */
export async function readManagedTarget(ctx: Ctx, id: string): Promise<StoredTarget> {
  const target = await findTarget(ctx.db, ctx.org, id);
  if (!target) throw notFound('Target', id);
  const { actor } = ctx;
  const permission = target.config_type === null ? 'manage_notifications' : 'configure_notifications';
  if (actor.kind === 'system' || allows(actor.role, permission)) return target;
  throw forbidden(`This requires the ${leastRole(permission)} role; yours is ${actor.role}`);
}
