import type { Ctx } from '../../platform/ctx.ts';
import { isManagedByScim } from '../scim/scim.reads.ts';

/** Whether somebody who signs in for the first time becomes a member by that. Where SCIM is on, it says who is one. */
export async function mayJoin({ db, org }: Ctx): Promise<boolean> {
  return !(await isManagedByScim(db, org));
}
