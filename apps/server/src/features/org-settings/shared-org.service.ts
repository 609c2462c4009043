import { ORGS_MAX } from '@waymark/contract';
import { actingPerson, type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { forbidden, invalid } from '../../platform/errors.ts';
import { setMembership } from '../memberships/membership.service.ts';
import { countCreatedOrgs, type OrgView, readOrg } from '../orgs/org.reads.ts';
import { createOrg } from '../orgs/org.service.ts';
import { findUserById } from '../users/user.reads.ts';

/** Creates a shared org with the acting user as its admin. */
export async function createSharedOrg(ctx: Ctx, name: string): Promise<OrgView> {
  const actor = actingPerson(ctx);
  if (ctx.credential?.onlyOrg) {
    throw forbidden(
      'This credential is valid in only one org. Sign in with an email link, or use a key created ' +
        'in such a session',
    );
  }
  return inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'created orgs', actor.id);
    if ((await countCreatedOrgs(ctx.db, actor.id)) >= ORGS_MAX)
      throw invalid(`A person can create at most ${ORGS_MAX} orgs`);
    const user = await findUserById(ctx.db, actor.id);
    if (!user) throw new Error('the acting user is not known');
    const inOrg = { ...ctx, org: await createOrg(ctx, { name, kind: 'shared', creatingUser: user.id }) };
    await setMembership(inOrg, user, 'admin', 'app');
    return readOrg(inOrg);
  });
}
