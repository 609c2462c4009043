import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { isUniqueViolation } from '../../platform/db/failure.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { invalidField, type Problem } from '../../platform/errors.ts';
import { parse } from '../../platform/http/validation.ts';
import { emit } from '../../platform/journal/journal.ts';
import { EmailAddress } from '../../platform/mail/email-address.ts';
import { emailSet } from './user.entries.ts';
import { findUserById, type User } from './user.reads.ts';

/** Sets the address with which a user signs in. Their sessions and keys stay valid. */
export async function setEmail(
  ctx: Ctx,
  { id, personalOrg }: Pick<User, 'id' | 'personalOrg'>,
  address: string,
): Promise<'set' | 'unchanged'> {
  const email = parse(EmailAddress, address, 'email');
  try {
    return await inTransaction({ ...ctx, org: personalOrg }, async (ctx) => {
      await lockSubject(ctx.db, ctx.org, 'user', id);
      const before = await findUserById(ctx.db, id);
      if (!before || before.email === email) return 'unchanged';
      const { revision } = await ctx.db
        .updateTable('user_account')
        .set((row) => ({ email, revision: row('revision', '+', 1) }))
        .where('id', '=', id)
        .returning('revision')
        .executeTakeFirstOrThrow();
      await emit(ctx, emailSet, { kind: 'user', id, seq: revision }, { email, previous_email: before.email });
      return 'set';
    });
  } catch (error) {
    throw emailTaken(error, email) ?? error;
  }
}

/** Returns the refusal when a failure means that somebody else has the address. */
export function emailTaken(error: unknown, email: string | null): Problem | undefined {
  if (!isUniqueViolation(error, 'user_account_email')) return undefined;
  return invalidField('email', `is taken: a user with the address '${email}' already exists`);
}
