import type { Ctx } from '../../../platform/ctx.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { invitationRevoked, invitationSubject } from './invitation.entries.ts';
import { revokeByAddress } from './invitation.store.ts';

/** Ends the open invitations of an address, in the transaction of what makes them void. */
export async function endInvitations(ctx: Ctx, address: string, reason: 'withdrawn' | 'replaced'): Promise<void> {
  const email = address.toLowerCase();
  for (const { id } of await revokeByAddress(ctx.db, ctx.org, email, ctx.now())) {
    await emit(ctx, invitationRevoked, invitationSubject(id, 2), { email, reason });
  }
}
