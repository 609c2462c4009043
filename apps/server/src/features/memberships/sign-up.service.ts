import { randomInt } from 'node:crypto';
import { OrgName } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { isUniqueViolation } from '../../platform/db/failure.ts';
import { invalidField } from '../../platform/errors.ts';
import { parse } from '../../platform/http/validation.ts';
import { EmailAddress } from '../../platform/mail/email-address.ts';
import { createOrg, isReservedName } from '../orgs/org.service.ts';
import { emailTaken } from '../users/set-email.service.ts';
import { loginOf } from './login-of.ts';
import { type MemberUser, setMembership } from './membership.service.ts';

export interface NewUser {
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

async function makeUser(ctx: Ctx, user: NewUser): Promise<CreatedUser> {
  const login = parse(OrgName, user.login, 'login');
  try {
    return await inTransaction(ctx, async (ctx) => {
      const id = ctx.newId();
      const personalOrg = await createOrg(ctx, { name: login, kind: 'personal' });
      await ctx.db
        .insertInto('user_account')
        .values({
          id,
          login,
          display_name: user.displayName,
          email: user.email,
          created_at: ctx.now(),
          personal_org_id: personalOrg,
        })
        .execute();
      const created = { id, login, displayName: user.displayName };
      await setMembership({ ...ctx, org: personalOrg }, created, 'admin', 'script');
      return { ...created, personalOrg };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'user_account_login')) {
      throw invalidField('login', `is taken: there is a user '${login}' already`);
    }
    throw emailTaken(error, user.email) ?? error;
  }
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
  if (isReservedName(login)) return true;
  const org = await ctx.db.selectFrom('org').select('id').where('name', '=', login).executeTakeFirst();
  return org !== undefined;
}
