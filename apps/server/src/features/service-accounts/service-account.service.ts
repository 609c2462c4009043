import { Role } from '@waymark/contract';
import { z } from 'zod';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { parse } from '../../platform/http/validation.ts';
import { emit } from '../../platform/journal/journal.ts';
import { serviceAccountCreated } from './service-account.entries.ts';

const AccountName = z
  .string()
  .max(64)
  .regex(/^[a-zA-Z0-9-]+$/, 'must hold 1 to 64 letters, digits and hyphens');

/** Returns the account of that name, making it with the given privilege if there is none. */
export async function ensureServiceAccount(
  ctx: Ctx,
  account: { name: string; privilege: Role },
): Promise<{ id: string }> {
  const name = parse(AccountName, account.name, 'name');
  const privilege = parse(Role, account.privilege, 'privilege');
  return inTransaction(ctx, async (ctx) => {
    const id = ctx.newId();
    const inserted = await ctx.db
      .insertInto('service_account')
      .values({ org_id: ctx.org, id, name, privilege, created_by: ctx.actor.name, created_at: ctx.now() })
      .onConflict((conflict) => conflict.columns(['org_id', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted) {
      await emit(ctx, serviceAccountCreated, { kind: 'service_account', id, seq: 1 }, { name, privilege });
      return inserted;
    }
    return ctx.db
      .selectFrom('service_account')
      .select('id')
      .where('org_id', '=', ctx.org)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
  });
}
