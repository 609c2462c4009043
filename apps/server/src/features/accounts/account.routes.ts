import { ApiKeyInput } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import type { App } from '../../platform/http/app.ts';
import { handlePage, type Page, type Redirect, type Visit } from '../../platform/http/page.ts';
import { cookie, SESSION_COOKIE } from '../../platform/http/session-cookie.ts';
import { parse } from '../../platform/http/validation.ts';
import { isId } from '../../platform/ids.ts';
import { epochSeconds } from '../../platform/time.ts';
import { listKeys } from '../api-keys/api-key.reads.ts';
import { revokeKey } from '../api-keys/api-key.service.ts';
import { listOwnInvitations } from '../memberships/invitations/invitation.reads.ts';
import { readOrgRow } from '../orgs/org.reads.ts';
import { listEnterableOrgs, listSessions } from '../users/sessions/session.reads.ts';
import { revokeSession } from '../users/sessions/session.service.ts';
import { findUserById } from '../users/user.reads.ts';
import { accountPage, newKeyPage } from './account-view.ts';
import { callerAsHolder, createUserKey } from './user-key.service.ts';

const SIGN_IN: Redirect = { to: '/sign-in?next=%2Faccount' };
const SIGNED_OUT: Redirect = { to: '/sign-in?signed-out', setCookies: [cookie(SESSION_COOKIE, '', 0)] };

/** Pages on which people manage their own account. */
export function accountRoutes(app: App, regionLetter: string): void {
  handlePage(app, 'GET', '/account', async (visit): Promise<Page | Redirect> => {
    const { ctx, person } = visit;
    const user = person && (await findUserById(ctx.db, person.actor_id));
    if (!user) return SIGN_IN;
    const onlyOrg = ctx.credential?.onlyOrg ?? null;
    return accountPage(visit, {
      user,
      onlyOrg: onlyOrg && (await readOrgRow(ctx.db, onlyOrg)).name,
      orgs: await listEnterableOrgs(ctx),
      invitations: await listOwnInvitations(ctx),
      sessions: await listSessions(ctx),
      keys: (await listKeys(ctx, callerAsHolder(ctx), undefined)).keys,
    });
  });

  handlePage(app, 'POST', '/account/end-session', async ({ ctx, person, form }) => {
    if (!person) return SIGN_IN;
    const id = form.get('session') ?? '';
    if (isId(id)) await revokeSession(ctx, id);
    return id === person.credential_id ? SIGNED_OUT : { to: '/account' };
  });

  handlePage(app, 'POST', '/account/make-key', async ({ ctx, person, form }) => {
    if (!person) return SIGN_IN;
    const kind = form.get('scope');
    const scope = kind ? { kind } : null;
    const input = parse(
      ApiKeyInput,
      { description: form.get('description'), expires_at: expiryIn(ctx, form), scope },
      '',
    );
    return newKeyPage(await createUserKey(ctx, input, regionLetter));
  });

  handlePage(app, 'POST', '/account/revoke-key', async ({ ctx, person, form }) => {
    if (!person) return SIGN_IN;
    await revokeKey(ctx, callerAsHolder(ctx), form.get('key') ?? '');
    return { to: '/account' };
  });

  handlePage(app, 'POST', '/sign-out', signOut);
}

/** In days; empty means never. */
function expiryIn(ctx: Ctx, form: URLSearchParams): number {
  const days = form.get('days') ?? '';
  return days === '' ? 0 : Math.floor(epochSeconds(ctx.now()) + Number(days) * 86_400);
}

async function signOut({ ctx, person }: Visit): Promise<Redirect> {
  if (person) await revokeSession(ctx, person.credential_id);
  return SIGNED_OUT;
}
