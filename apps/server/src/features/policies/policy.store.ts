import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type PolicyRow = Selectable<Tables['policy']>;
export type PolicyVersionRow = Selectable<Tables['policy_version']>;
export type PolicyEventRow = Selectable<Tables['policy_event']>;

/** Serializes changes of the policy of one name, also before there is one. Attaching it waits, too. */
export function lockPolicyName(db: Db, org: string, name: string): Promise<void> {
  return lockSubject(db, org, 'policy', name);
}

export function findActive(db: Db, org: string, name: string): Promise<PolicyRow | undefined> {
  return db
    .selectFrom('policy')
    .selectAll()
    .where('org_id', '=', org)
    .where('name', '=', name)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
}

/** Of the policies with this name: the active one, else the one that was archived last. */
export function findLatest(db: Db, org: string, name: string): Promise<PolicyRow | undefined> {
  return db
    .selectFrom('policy')
    .selectAll()
    .where('org_id', '=', org)
    .where('name', '=', name)
    .orderBy('archived_at', (order) => order.desc().nullsFirst())
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function insertPolicy(db: Db, policy: Insertable<Tables['policy']>): Promise<PolicyRow> {
  return db.insertInto('policy').values(policy).returningAll().executeTakeFirstOrThrow();
}

/** Called once per journal entry about the policy, because its revision counts them. */
export function updatePolicy(
  db: Db,
  policy: PolicyRow,
  change: { description?: string; version?: number; archived_at?: Date; last_modified_at: Date },
): Promise<PolicyRow> {
  return db
    .updateTable('policy')
    .set({ ...change, revision: policy.revision + 1 })
    .where('org_id', '=', policy.org_id)
    .where('id', '=', policy.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function findVersion(
  db: Db,
  org: string,
  policyId: string,
  version: number,
): Promise<PolicyVersionRow | undefined> {
  return db
    .selectFrom('policy_version')
    .selectAll()
    .where('org_id', '=', org)
    .where('policy_id', '=', policyId)
    .where('version', '=', version)
    .executeTakeFirst();
}

export async function insertVersion(db: Db, version: Insertable<Tables['policy_version']>): Promise<void> {
  await db.insertInto('policy_version').values(version).execute();
}

/** Which of these controls exist. In a transaction, none of them is archived or restored until it ends. */
export function lockControls(db: Db, org: string, identifiers: readonly string[]) {
  const controls = db
    .selectFrom('control')
    .select(['identifier', 'archived_at'])
    .where('org_id', '=', org)
    .where(sql<SqlBool>`identifier = any(${identifiers}::text[])`)
    .orderBy('identifier');
  return (db.isTransaction ? controls.forShare() : controls).execute();
}

/** The active environments that a policy is attached to, enforced or report-only, by name. */
export function listConsuming(db: Db, org: string, policyId: string) {
  const attachedIn = (table: 'environment_policy' | 'report_only_policy') =>
    db.selectFrom(table).select('environment_id').where('org_id', '=', org).where('policy_id', '=', policyId);
  return db
    .selectFrom('environment')
    .select(['id', 'name'])
    .where('org_id', '=', org)
    .where('id', 'in', attachedIn('environment_policy').union(attachedIn('report_only_policy')))
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute();
}
