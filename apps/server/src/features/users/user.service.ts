import { OrgName } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { isUniqueViolation } from '../../platform/db/failure.ts';
import { invalidField } from '../../platform/errors.ts';
import { parse } from '../../platform/http/validation.ts';
import { addMember, createOrg } from '../orgs/org.service.ts';

export interface NewUser {
  readonly login: string;
  readonly displayName: string | null;
  readonly email: string | null;
}

/** Makes a user and their personal org, named after the login. */
export async function createUser(ctx: Ctx, user: NewUser): Promise<{ id: string; login: string; personalOrg: string }> {
  const login = parse(OrgName, user.login, 'login');
  try {
    return await inTransaction(ctx, async (ctx) => {
      const id = ctx.newId();
      await ctx.db
        .insertInto('user_account')
        .values({ id, login, display_name: user.displayName, email: user.email, created_at: ctx.now() })
        .execute();
      const personalOrg = await createOrg(ctx, { name: login, kind: 'personal' });
      await addMember({ ...ctx, org: personalOrg }, { id, login }, 'admin');
      return { id, login, personalOrg };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'user_account_login')) {
      throw invalidField('login', `is taken: there is a user '${login}' already`);
    }
    throw error;
  }
}
