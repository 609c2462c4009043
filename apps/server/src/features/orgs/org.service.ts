import { OrgName, Role } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { isUniqueViolation } from '../../platform/db/failure.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { invalidField } from '../../platform/errors.ts';
import { parse } from '../../platform/http/validation.ts';
import { emit } from '../../platform/journal/journal.ts';
import { experimentalFeaturesChanged, membershipAdded, orgCreated } from './org.entries.ts';

export interface NewOrg {
  readonly name: string;
  readonly kind: 'personal' | 'shared';
}

/** Makes an org; the given context's org is replaced by the new one. Returns its id. */
export async function createOrg(ctx: Ctx, org: NewOrg): Promise<string> {
  const name = parse(OrgName, org.name, 'name');
  const id = ctx.newId();
  try {
    await inTransaction({ ...ctx, org: id }, async (ctx) => {
      await ctx.db.insertInto('org').values({ id, name, kind: org.kind, created_at: ctx.now() }).execute();
      await emit(ctx, orgCreated, { kind: 'org', id, seq: 1 }, { name, kind: org.kind });
    });
  } catch (error) {
    if (isUniqueViolation(error, 'org_name')) throw invalidField('name', `is taken: there is an org '${name}' already`);
    throw error;
  }
  return id;
}

export async function addMember(ctx: Ctx, user: { id: string; login: string }, role: Role): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await ctx.db
      .insertInto('membership')
      .values({ org_id: ctx.org, user_id: user.id, role: parse(Role, role, 'role'), created_at: ctx.now() })
      .execute();
    const subject = { kind: 'membership', id: user.id, seq: 1 };
    await emit(ctx, membershipAdded, subject, { user_id: user.id, login: user.login, role });
  });
}

/** Whether members may use what is beta without asking for it by name. Repeating it records nothing. */
export async function switchExperimentalFeatures(ctx: Ctx, enabled: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'org', ctx.org);
    const changed = await ctx.db
      .updateTable('org')
      .set((org) => ({ experimental_features_enabled: enabled, revision: org('revision', '+', 1) }))
      .where('id', '=', ctx.org)
      .where('experimental_features_enabled', '<>', enabled)
      .returning('revision')
      .executeTakeFirst();
    if (!changed) return;
    await emit(ctx, experimentalFeaturesChanged, { kind: 'org', id: ctx.org, seq: changed.revision }, { enabled });
  });
}
