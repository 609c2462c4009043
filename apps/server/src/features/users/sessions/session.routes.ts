import * as api from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { Problem } from '../../../platform/errors.ts';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { cookieIn, csrfTokenOf, SESSION_COOKIE } from '../../../platform/http/session-cookie.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { readOrgRow } from '../../orgs/org.reads.ts';
import { findUserById } from '../user.reads.ts';
import { endOf, listEnterableOrgs, listSessions, type SessionRow } from './session.reads.ts';
import { revokeSession } from './session.service.ts';

export function sessionRoutes(app: App): void {
  handle(app, api.getOwnSession, async (ctx, { headers }) => {
    const user = ctx.actor.kind === 'user' ? await findUserById(ctx.db, ctx.actor.id) : undefined;
    const onlyOrg = ctx.credential?.onlyOrg ?? null;
    const kind: 'user' | 'service_account' = ctx.actor.kind === 'user' ? 'user' : 'service_account';
    return {
      kind,
      login: ctx.actor.name,
      display_name: user?.displayName ?? null,
      email: user?.email ?? null,
      csrf_token: csrfTokenFor(ctx, headers.cookie),
      only_org: onlyOrg && (await readOrgRow(ctx.db, onlyOrg)).name,
      scope: ctx.credential?.scope ?? null,
      orgs: await listEnterableOrgs(ctx),
    };
  });

  handle(app, api.listSessions, async (ctx) => {
    const sessions = await listSessions(ctx);
    return sessions.map((session) => toSession(session, ctx.credential?.id));
  });

  handle(app, api.revokeSession, async (ctx, { params }) => {
    const id = params.session_id;
    if (!(await revokeSession(ctx, id))) throw new Problem('not_found', `You have no session '${id}'`);
    return 'Session ended';
  });
}

/** Returned only to callers whose cookie was accepted, who therefore have it. */
function csrfTokenFor({ credential }: Ctx, cookies: string | undefined): string | null {
  const secret = credential?.kind === 'session' ? cookieIn(cookies, SESSION_COOKIE) : undefined;
  return secret === undefined ? null : csrfTokenOf(secret);
}

function toSession(session: SessionRow, currentId: string | undefined) {
  return {
    id: session.id,
    method: session.method,
    created_at: epochSeconds(session.created_at),
    last_seen_at: epochSeconds(session.last_seen_at),
    expires_at: epochSeconds(endOf(session)),
    address: session.address,
    user_agent: session.user_agent,
    current: session.id === currentId,
  };
}
