import type { Ctx } from '../../platform/ctx.ts';
import { isUniqueViolation } from '../../platform/db/failure.ts';
import { invalidField } from '../../platform/errors.ts';
import { emailTaken } from './set-email.service.ts';
import type { User } from './user.reads.ts';

/** Adds a user, in the transaction that creates their personal org. Returns the id: a new one, unless one is given. */
export async function addUser(ctx: Ctx, user: Omit<User, 'id'> & Partial<Pick<User, 'id'>>): Promise<string> {
  const id = user.id ?? ctx.newId();
  const { login, displayName: display_name, email, personalOrg: personal_org_id } = user;
  try {
    await ctx.db
      .insertInto('user_account')
      .values({ id, login, display_name, email, created_at: ctx.now(), personal_org_id })
      .execute();
  } catch (error) {
    if (isUniqueViolation(error, 'user_account_login')) {
      throw invalidField('login', `is taken: user '${login}' already exists`);
    }
    throw emailTaken(error, email) ?? error;
  }
  return id;
}
