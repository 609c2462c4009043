import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

/** Of policies that are enforced, and of those that are evaluated without an effect on verdicts. */
export type AttachmentTable = 'environment_policy' | 'report_only_policy';

export interface AttachablePolicy {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/**
 * A shared lock on the name of a policy: any number of transactions can hold it, but none that changes the policy,
 * which takes the same lock exclusively. Not a row lock, which would assign a transaction id before the environment is
 * locked.
 */
export const keepPolicies = statement<{ org_id: string; names: readonly string[] }, never>(
  'keep_policies',
  `select count(pg_advisory_xact_lock_shared(
     hashtextextended('policy ' || name, uuid_hash_extended(:org_id::uuid, 0)))::text)
   from unnest(:names::text[]) as name`,
);

/** The active policies with these names, by name. */
export function listNamed(db: Db, org: string, names: readonly string[]): Promise<AttachablePolicy[]> {
  return db
    .selectFrom('policy')
    .select(['id', 'name', 'version'])
    .where('org_id', '=', org)
    .where(sql<SqlBool>`name = any(${names}::text[])`)
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute();
}

export function listAttached(
  db: Db,
  org: string,
  environmentId: string,
  table: AttachmentTable,
): Promise<AttachablePolicy[]> {
  return db
    .selectFrom(`${table} as attached`)
    .innerJoin('policy', (join) =>
      join.onRef('policy.org_id', '=', 'attached.org_id').onRef('policy.id', '=', 'attached.policy_id'),
    )
    .select(['policy.id', 'policy.name', 'policy.version'])
    .where('attached.org_id', '=', org)
    .where('attached.environment_id', '=', environmentId)
    .orderBy('policy.name')
    .execute();
}

export async function insertAttachments(
  ctx: Ctx,
  environmentId: string,
  policyIds: readonly string[],
  table: AttachmentTable,
): Promise<void> {
  await ctx.db
    .insertInto(table)
    .values(
      policyIds.map((policy_id) => ({
        org_id: ctx.org,
        environment_id: environmentId,
        policy_id,
        attached_at: ctx.now(),
        attached_by: ctx.actor.name,
      })),
    )
    .execute();
}

export async function deleteAttachments(
  db: Db,
  org: string,
  environmentId: string,
  policyIds: readonly string[],
  table: AttachmentTable,
): Promise<void> {
  await db
    .deleteFrom(table)
    .where('org_id', '=', org)
    .where('environment_id', '=', environmentId)
    .where('policy_id', 'in', policyIds)
    .execute();
}
