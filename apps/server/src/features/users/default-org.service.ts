import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { emit } from '../../platform/journal/journal.ts';
import { listOwnOrgs } from '../orgs/org.reads.ts';
import { defaultOrgChanged } from './user.entries.ts';
import { findDefaultOrg, findUserById } from './user.reads.ts';

/** The name of the caller's default org. A credential for one org has that one. */
export async function readDefaultOrg(ctx: Ctx): Promise<string | null> {
  const { actor, credential } = ctx;
  if (actor.kind === 'user' && !credential?.onlyOrg) return (await findDefaultOrg(ctx.db, actor.id)) ?? null;
  const [only] = await listOwnOrgs(ctx);
  return only?.name ?? null;
}

/** Makes the context's org the default of the acting user. */
export async function chooseDefaultOrg(ctx: Ctx, name: string): Promise<void> {
  const { actor, credential, org } = ctx;
  if (actor.kind !== 'user' || credential?.onlyOrg) return;
  const user = await findUserById(ctx.db, actor.id);
  if (!user) return;
  await inTransaction({ ...ctx, org: user.personalOrg }, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'user', user.id);
    const changed = await ctx.db
      .updateTable('user_account')
      .set((row) => ({ default_org_id: org, revision: row('revision', '+', 1) }))
      .where('id', '=', user.id)
      .where('default_org_id', 'is distinct from', org)
      .returning('revision')
      .executeTakeFirst();
    if (!changed) return;
    const subject = { kind: 'user', id: user.id, seq: changed.revision };
    await emit(ctx, defaultOrgChanged, subject, { org_id: org, org_name: name });
  });
}
