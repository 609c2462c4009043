import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handle, handlePrepared } from '../../../platform/http/handle.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { acceptInvitation, noteCode } from './accept.service.ts';
import { listInvitations, listOwnInvitations } from './invitation.reads.ts';
import { invite, revokeInvitation } from './invitation.service.ts';
import type { InvitationRow } from './invitation.store.ts';

export function invitationRoutes(app: App): void {
  handle(app, api.createInvitation, async (ctx, { body }) => {
    const invitation = await invite(ctx, body);
    return { ...toInvitation(invitation), email: invitation.email };
  });

  handle(app, api.listInvitations, async (ctx) =>
    (await listInvitations(ctx)).map((row) => ({ ...toInvitation(row), email: row.email })),
  );

  handle(app, api.revokeInvitation, async (ctx, { params }) => {
    const { email } = await revokeInvitation(ctx, params.invitation_id);
    return `Invitation of '${email}' withdrawn`;
  });

  handle(app, api.listUserInvitations, async (ctx) =>
    (await listOwnInvitations(ctx)).map((row) => ({ ...toInvitation(row), org: row.org_name })),
  );

  handlePrepared(
    app,
    api.acceptInvitation,
    (ctx, { params, body }) => noteCode(ctx, params.invitation_id, body?.code ?? undefined),
    (ctx, { params, body }) => acceptInvitation(ctx, params.invitation_id, body?.code ?? undefined),
  );
}

function toInvitation({ id, role, invited_by, created_at, expires_at }: InvitationRow) {
  return { id, role, invited_by, created_at: epochSeconds(created_at), expires_at: epochSeconds(expires_at) };
}
