import { randomInt } from 'node:crypto';
import { OrgName } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { parse } from '../../platform/http/validation.ts';
import { EmailAddress } from '../../platform/mail/email-address.ts';
import { findOrgByName } from '../orgs/org.reads.ts';
import { createOrg, isReservedName } from '../orgs/org.service.ts';
import { addUser } from '../users/new-user.service.ts';
import { loginOf } from './login-of.ts';
import { type MemberUser, setMembership } from './membership.service.ts';

export interface NewUser {
  /** Of a person whom another database knows; otherwise a new one. */
  readonly id?: string;
  readonly login: string;
  readonly displayName: string | null;
  readonly email: string | null;
}

export interface CreatedUser extends MemberUser {
  readonly personalOrg: string;
}

/** Creates a user and their personal org, named after the login. */
export async function createUser(ctx: Ctx, user: NewUser): Promise<CreatedUser> {
  if (user.email !== null) parse(EmailAddress, user.email, 'email');
  return makeUser(ctx, user);
}

async function makeUser(ctx: Ctx, { displayName, email, ...user }: NewUser): Promise<CreatedUser> {
  const login = parse(OrgName, user.login, 'login');
  return inTransaction(ctx, async (ctx) => {
    const personalOrg = await createOrg(ctx, { name: login, kind: 'personal' });
    const id = await addUser(ctx, { ...user, login, displayName, email, personalOrg });
    const created = { id, login, displayName };
    await setMembership({ ...ctx, org: personalOrg }, created, 'admin', 'script');
    return { ...created, personalOrg };
  });
}

const LOGINS_TRIED = 5;

/**
 * Creates a user for a verified address. The login is derived from the address; when a user or an org has it already,
 * it gets a random suffix.
 */
export async function signUp(ctx: Ctx, person: { email: string; displayName: string | null }): Promise<CreatedUser> {
  const wanted = loginOf(person.email);
  for (let tried = 0; ; tried++) {
    const login = tried === 0 ? wanted : `${wanted}-${randomInt(10_000, 100_000)}`;
    if (tried < LOGINS_TRIED && (await isTaken(ctx, login))) continue;
    return makeUser(ctx, { login, displayName: person.displayName, email: person.email });
  }
}

async function isTaken(ctx: Ctx, login: string): Promise<boolean> {
  return isReservedName(login) || (await findOrgByName(ctx.db, login)) !== undefined;
}
