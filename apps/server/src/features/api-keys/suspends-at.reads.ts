import { type RawBuilder, sql } from 'kysely';
import { isRoleAbove } from '../../platform/db/role-rank.ts';

/** When a key or workload identity will be suspended: an expression for queries that have it under the given alias. */
export function suspendsAt(grant: 'api_key' | 'identity'): RawBuilder<Date | null> {
  const made = sql.ref(grant);
  return sql<Date | null>`(
    select departure.suspend_at
    from departure
    join service_account as granting on granting.org_id = departure.org_id
    left join membership on membership.org_id = departure.org_id and membership.user_id = departure.user_id
      and membership.removed_at is null
    where departure.org_id = ${made}.org_id and departure.user_id = ${made}.made_by and departure.settled_at is null
      and granting.id = ${made}.service_account_id and ${made}.suspended_at is null
      and ${isRoleAbove(sql`granting.privilege`, sql`membership.role`)}
  )`;
}
