import { INVITATIONS_MAX } from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { readOrgNames } from '../../orgs/org.reads.ts';
import { findUserById } from '../../users/user.reads.ts';
import { type InvitationRow, listOpenOfAddress, listOpenOfOrg } from './invitation.store.ts';

const OWN_MAX = 100;

export function listInvitations(ctx: Ctx): Promise<InvitationRow[]> {
  return listOpenOfOrg(ctx.db, ctx.org, ctx.now(), INVITATIONS_MAX);
}

/** Open invitations to the address of the acting user that their credential can accept. */
export async function listOwnInvitations(ctx: Ctx): Promise<(InvitationRow & { org_name: string })[]> {
  const { db, actor, credential } = ctx;
  const user = actor.kind === 'user' ? await findUserById(db, actor.id) : undefined;
  if (!user?.email) return [];
  const onlyOrg = credential?.onlyOrg ?? null;
  const invitations = await listOpenOfAddress(db, user.email.toLowerCase(), onlyOrg, ctx.now(), OWN_MAX);
  const nameOf = await readOrgNames(
    db,
    invitations.map(({ org_id }) => org_id),
  );
  return invitations.map((invitation) => ({ ...invitation, org_name: nameOf(invitation.org_id) }));
}
