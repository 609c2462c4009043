import { atLeast } from '@waymark/contract';
import { z } from 'zod';
import { Problem } from '../../../platform/errors.ts';
import type { App, SignInConfig } from '../../../platform/http/app.ts';
import { handlePage, limitAttempts, type Page, type Redirect, type Visit } from '../../../platform/http/page.ts';
import { createRateLimiter } from '../../../platform/http/rate-limit.ts';
import { readOrgRow } from '../../orgs/org.reads.ts';
import { signInVisitor } from '../../users/sessions/session.service.ts';
import { findUserByEmail } from '../../users/user.reads.ts';
import { findMemberRole } from '../membership.reads.ts';
import { acceptInvitation, isCodeOf, noteCode, signUpInvited } from './accept.service.ts';
import { type FoundInvitation, findInvitation } from './invitation.store.ts';
import { closedPage, codePage, invitationPage, type Way } from './invitation-view.ts';

/** The target of the link in the mail. Opening it accepts nothing: mail scanners open links, too. */
export function invitationPages(app: App, { perAddress }: SignInConfig): void {
  const allow = createRateLimiter({ perSecond: perAddress / 60, burst: perAddress }, app.servers);
  const countAttempt = ({ address, ctx }: Visit) => limitAttempts(allow, address, ctx.now());

  handlePage(app, 'GET', '/invitations/:id', async (visit) => {
    countAttempt(visit);
    return show(visit, visit.query.get('code')?.trim() || undefined);
  });

  handlePage(app, 'POST', '/invitations/:id', async (visit): Promise<Page | Redirect> => {
    countAttempt(visit);
    const code = visit.form.get('code')?.trim() || undefined;
    const id = idOf(visit);
    if (id === undefined) return closedPage();
    try {
      return await accept(visit, id, code);
    } catch (error) {
      // The page in its current state says why the invitation cannot be accepted.
      if (error instanceof Problem && (error.code === 'invalid' || error.code === 'not_found'))
        return show(visit, code);
      throw error;
    }
  });
}

async function accept(visit: Visit, id: string, code: string | undefined): Promise<Redirect> {
  const { ctx } = visit;
  if (visit.person) {
    await acceptInvitation(ctx, id, code);
    return { to: '/' };
  }
  const user = await signUpInvited(ctx, id, code ?? '');
  return signInVisitor(visit, { user, method: 'link', onlyOrg: null }, '/');
}

async function show(visit: Visit, code: string | undefined): Promise<Page> {
  const { ctx } = visit;
  const id = idOf(visit);
  if (id === undefined) return closedPage();
  await noteCode(ctx, id, code);
  const invitation = await findInvitation(ctx.db, id, ctx.now());
  if (!invitation?.is_open) return closedPage();
  const addressee = await findUserByEmail(ctx.db, invitation.email);
  const onlyOrg = ctx.credential?.onlyOrg ?? invitation.org_id;
  const isAddressee =
    visit.person !== undefined && addressee?.id === visit.person.actor_id && onlyOrg === invitation.org_id;
  const hasCode = code !== undefined && isCodeOf(invitation, code);
  if (!isAddressee && !hasCode) return codePage(visit, id, code !== undefined);
  const way = isAddressee ? 'as_addressee' : await wayByCode(visit, invitation, addressee !== undefined);
  const { name } = await readOrgRow(ctx.db, invitation.org_id);
  return invitationPage(visit, name, invitation, way, hasCode ? code : undefined);
}

async function wayByCode({ ctx, person }: Visit, invitation: FoundInvitation, hasAccount: boolean): Promise<Way> {
  if (!person) return hasAccount ? 'sign_in' : 'sign_up';
  const has = await findMemberRole({ ...ctx, org: invitation.org_id }, person.actor_id);
  return has && atLeast(has, invitation.role) ? 'as_member' : 'as_another';
}

function idOf({ params }: Visit): string | undefined {
  const id = z.uuid().safeParse(params['id']);
  return id.success ? id.data : undefined;
}
