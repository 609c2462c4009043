import { atLeast, permissions, type Role } from '@waymark/contract';
import type { Actor, Ctx } from '../../platform/ctx.ts';
import { forbidden } from '../../platform/errors.ts';
import type { ServiceAccountRow } from './service-account.store.ts';

const MANAGES_ALL = permissions.manage_service_accounts.ownBelow;

export function managesAll(actor: Actor): boolean {
  return actor.kind === 'system' || atLeast(actor.role, MANAGES_ALL);
}

/** Callers below admin manage what they made. */
export function requireManager({ actor }: Ctx, account: ServiceAccountRow): void {
  if (managesAll(actor) || account.creating_user_id === actor.id) return;
  throw forbidden(
    `Service account '${account.name}' was created by another person: this requires the ${MANAGES_ALL} role; ` +
      `yours is ${roleOf(actor)}`,
  );
}

/** Domain rule: nobody grants a role above their own. A key of an account grants the account's permissions. */
export function requireNotAbove({ actor }: Ctx, granted: Role): void {
  if (actor.kind === 'system' || atLeast(actor.role, granted)) return;
  throw forbidden(
    `You cannot grant a higher role than your own: this requires the ${granted} role; yours is ${actor.role}`,
  );
}

function roleOf(actor: Actor): string {
  return actor.kind === 'system' ? 'none' : actor.role;
}
