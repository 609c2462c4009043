import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { suspendGrants } from '../../api-keys/suspension.service.ts';
import { lockMembers } from '../membership.service.ts';
import { findRole } from '../membership.store.ts';
import { findDue, hasten, settle } from './departure.store.ts';

/** Suspends what somebody made whose delay is over, as far as it grants more than the role they have by now. */
export async function suspendDue(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockMembers(ctx);
    const due = await findDue(ctx.db, ctx.org, id, ctx.now());
    if (!due) return;
    const role = (await findRole(ctx.db, ctx.org, due.user_id)) ?? null;
    await suspendGrants(ctx, [{ id: due.user_id, login: due.login, role }], due.scim_key_id);
    await settle(ctx.db, ctx.org, id, ctx.now());
  });
}

/** A shorter delay counts for those as well who have left already. */
export async function hastenDepartures(ctx: Ctx, hours: number): Promise<void> {
  await hasten(ctx.db, ctx.org, hours);
}
