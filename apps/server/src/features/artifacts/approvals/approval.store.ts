import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import type { Tables } from '../../../platform/db/tables.ts';

export type ApprovalRow = Selectable<Tables['approval']>;

/** Held until the transaction ends, so that the numbers of a flow have no gaps. */
export function lockNumbers(db: Db, org: string, flowId: string): Promise<void> {
  return lockSubject(db, org, 'approval', flowId);
}

export async function findLastNumber(db: Db, org: string, flowId: string): Promise<number> {
  const last = await db
    .selectFrom('approval')
    .select('number')
    .where('org_id', '=', org)
    .where('flow_id', '=', flowId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.number ?? 0;
}

export async function insertApproval(db: Db, approval: Insertable<Tables['approval']>): Promise<void> {
  await db.insertInto('approval').values(approval).execute();
}
