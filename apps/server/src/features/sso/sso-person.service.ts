import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { emit } from '../../platform/journal/journal.ts';
import { isManagedByScim } from '../memberships/managed.reads.ts';
import { lockMembers, type MemberUser, setMembership } from '../memberships/membership.service.ts';
import { type CreatedUser, signUp } from '../memberships/sign-up.service.ts';
import { findUserByEmail, findUserById } from '../users/user.reads.ts';
import { type Claims, Refused } from './id-token.ts';
import { ssoIdentityLinked } from './sso.entries.ts';
import * as store from './sso.store.ts';

/** Who the claims identify: a user known by the subject, or by the address, or nobody yet. */
export type Meant =
  | { readonly by: 'subject' | 'address'; readonly user: CreatedUser; readonly email: string }
  | { readonly by: 'nothing'; readonly user: undefined; readonly email: string };

/**
 * Finds the user whom an identity provider means. A subject, once linked to a user, stays so: addresses are reassigned
 * when people leave, and the new holder of an address is not let in as the previous one.
 */
export async function findMeant(ctx: Ctx, setting: store.SettingRow, claims: Claims): Promise<Meant> {
  const identity = await store.findIdentity(ctx.db, ctx.org, claims);
  if (identity) {
    const user = await findUserById(ctx.db, identity.user_id);
    if (!user) throw new Refused('The account of this person no longer exists');
    return { by: 'subject', user, email: identity.email };
  }
  const email = trustedEmail(setting, claims);
  const user = await findUserByEmail(ctx.db, email);
  if (!user) return { by: 'nothing', user, email };
  if (await store.findIdentityOfUser(ctx.db, ctx.org, claims.issuer, user.id)) {
    throw new Refused(
      `The identity provider has given the address ${email} to another person (another subject) than the one who ` +
        'used it before: an admin must give this person another address or a separate account',
    );
  }
  return { by: 'address', user, email };
}

/** The user, as a member of the org. On the first visit they are linked to the subject, and may join. */
export async function admit(ctx: Ctx, setting: store.SettingRow, claims: Claims): Promise<CreatedUser> {
  return (await findMember(ctx, claims)) ?? admitAnew(ctx, setting, claims);
}

/** The usual case, which takes no lock. */
async function findMember(ctx: Ctx, claims: Claims): Promise<CreatedUser | undefined> {
  const identity = await store.findIdentity(ctx.db, ctx.org, claims);
  const member = identity && (await store.findMembership(ctx.db, ctx.org, identity.user_id));
  return identity && member?.removed_at === null ? findUserById(ctx.db, identity.user_id) : undefined;
}

function admitAnew(ctx: Ctx, setting: store.SettingRow, claims: Claims): Promise<CreatedUser> {
  return inTransaction(ctx, async (ctx) => {
    // Two concurrent first visits would create two accounts.
    await lockSubject(ctx.db, ctx.org, 'sso people', ctx.org);
    const meant = await findMeant(ctx, setting, claims);
    const user = meant.user ?? (await signUp(ctx, { email: meant.email, displayName: claims.name }));
    if (meant.by !== 'subject') await link(ctx, claims, user, meant.email);
    // The account may be older than the link to this org: the org records the name that its own provider gave.
    await join(ctx, setting, { ...user, displayName: claims.name ?? meant.email });
    return user;
  });
}

/** An address counts only if the identity provider has verified it, and it is in one of the org's domains. */
function trustedEmail(setting: store.SettingRow, { email, emailVerified }: Claims): string {
  if (email === null) {
    throw new Refused(
      'The identity provider did not send an email address: it must release the `email` claim to this client',
    );
  }
  if (!emailVerified) {
    throw new Refused(
      `The identity provider did not confirm that ${email} is verified: the claim \`email_verified\` must be true`,
    );
  }
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (setting.email_domains.length > 0 && !setting.email_domains.includes(domain)) {
    throw new Refused(`${domain} is not among the email domains of this org`);
  }
  return email.toLowerCase();
}

async function link(ctx: Ctx, { issuer, subject, name }: Claims, user: MemberUser, email: string): Promise<void> {
  const id = ctx.newId();
  await store.insertIdentity(ctx.db, {
    org_id: ctx.org,
    id,
    issuer,
    subject,
    user_id: user.id,
    email,
    name,
    created_at: ctx.now(),
  });
  const payload = { user_id: user.id, issuer, subject, email };
  await emit(ctx, ssoIdentityLinked, { kind: 'sso_identity', id, seq: 1 }, payload);
}

/** A person removed by an admin cannot rejoin on their own. */
async function join(ctx: Ctx, setting: store.SettingRow, user: MemberUser): Promise<void> {
  await lockMembers(ctx);
  const member = await store.findMembership(ctx.db, ctx.org, user.id);
  if (member?.removed_at === null) return;
  if (await isManagedByScim(ctx.db, ctx.org)) {
    const which = member ? 'and you are no longer one: it must assign you again' : 'which has not added you';
    throw new Refused(`Members of this org are managed by its identity provider, ${which}`);
  }
  if (member) throw new Refused('You are no longer a member of this org: an admin must invite you again');
  await setMembership(ctx, user, setting.default_role, 'app');
}
