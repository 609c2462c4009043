import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { suspendGrants } from '../../api-keys/suspension.service.ts';
import { findUserById } from '../../users/user.reads.ts';
import { lockMembers } from '../membership.service.ts';
import { findRole } from '../membership.store.ts';
import { findDue, hasten, settle } from './departure.store.ts';

/** Suspends what a person made once their delay has passed, as far as it grants more than their current role. */
export async function suspendDue(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockMembers(ctx);
    const due = await findDue(ctx.db, ctx.org, id, ctx.now());
    const person = due && (await findUserById(ctx.db, due.user_id));
    if (!due || !person) return;
    const role = (await findRole(ctx.db, ctx.org, person.id)) ?? null;
    await suspendGrants(ctx, [{ id: person.id, login: person.login, role }], due.scim_key_id);
    await settle(ctx.db, ctx.org, id, ctx.now());
  });
}

/** A shorter delay also applies to people who have already left. */
export async function hastenDepartures(ctx: Ctx, hours: number): Promise<void> {
  await hasten(ctx.db, ctx.org, hours);
}
