import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

/** A policy as it judges an environment: in its newest version. */
export interface AttachedPolicy {
  readonly policy_id: string;
  readonly name: string;
  readonly version: number;
  readonly policy_yaml: string;
}

const listAttached = statement<
  { org_id: string; environment_ids: readonly string[] },
  AttachedPolicy & { environment_id: string }
>(
  'list_attached_policies',
  `select attached.environment_id, policy.id as policy_id, policy.name, policy.version, latest.policy_yaml
   from environment_policy as attached
   join policy on policy.org_id = attached.org_id and policy.id = attached.policy_id
   join policy_version as latest
     on latest.org_id = policy.org_id and latest.policy_id = policy.id and latest.version = policy.version
   where attached.org_id = :org_id::uuid and attached.environment_id = any(:environment_ids::uuid[])`,
);

/** The policies that judge each of these environments, by name; environments without a policy are absent. */
export async function readAttached(
  db: Db,
  org: string,
  environmentIds: readonly string[],
): Promise<Map<string, AttachedPolicy[]>> {
  const rows = await listAttached(db, { org_id: org, environment_ids: environmentIds });
  const attached = Map.groupBy(rows, ({ environment_id }) => environment_id);
  return new Map([...attached].map(([id, policies]) => [id, policies.map(toAttached).toSorted(byName)]));
}

function toAttached({ policy_id, name, version, policy_yaml }: AttachedPolicy): AttachedPolicy {
  return { policy_id, name, version, policy_yaml };
}

function byName(one: AttachedPolicy, other: AttachedPolicy): number {
  return one.name < other.name ? -1 : 1;
}

/** The sorted policy names of each of these environments; environments without a policy are absent. */
export async function readAttachedNames(
  db: Db,
  org: string,
  environmentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db
    .selectFrom('environment_policy as attached')
    .innerJoin('policy', (join) =>
      join.onRef('policy.org_id', '=', 'attached.org_id').onRef('policy.id', '=', 'attached.policy_id'),
    )
    .select('attached.environment_id')
    .select(sql<string[]>`array_agg(policy.name order by policy.name)`.as('names'))
    .where('attached.org_id', '=', org)
    .where(sql<SqlBool>`attached.environment_id = any(${environmentIds}::uuid[])`)
    .groupBy('attached.environment_id')
    .execute();
  return new Map(rows.map(({ environment_id, names }) => [environment_id, names]));
}
