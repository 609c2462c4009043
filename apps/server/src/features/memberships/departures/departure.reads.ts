import { DEPARTURE_LISTED_DAYS, DEPARTURES_MAX, type Role } from '@waymark/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { isRoleAbove } from '../../../platform/db/role-rank.ts';

export interface DepartureView {
  readonly login: string;
  readonly display_name: string | null;
  readonly role: Role | null;
  readonly departed_at: Date;
  readonly suspend_at: Date;
  readonly settled_at: Date | null;
  readonly service_accounts: readonly string[];
  readonly keys: number;
  readonly workload_identities: number;
}

/** Newest first, while something is suspended or about to be. */
export async function listDepartures(db: Db, org: string, now: Date): Promise<DepartureView[]> {
  const { rows } = await sql<DepartureView>`
    select person.login, person.display_name, membership.role, departure.departed_at, departure.suspend_at,
      departure.settled_at, made.service_accounts, made.keys, made.workload_identities
    from departure
    join user_account as person on person.id = departure.user_id
    left join membership on membership.org_id = departure.org_id and membership.user_id = departure.user_id
      and membership.removed_at is null
    cross join lateral (
      select coalesce(array_agg(distinct account_name), '{}') as service_accounts,
        count(*) filter (where kind = 'key')::integer as keys,
        count(*) filter (where kind = 'identity')::integer as workload_identities
      from (
        select 'key' as kind, account.name as account_name, key.suspended_at,
          case key.purpose when 'scim' then 'admin' else account.privilege end as granted
        from api_key as key
        join service_account as account on account.org_id = key.org_id and account.id = key.service_account_id
        where key.org_id = departure.org_id and key.made_by = departure.user_id and key.workload is null
          and key.revoked_at is null and (key.expires_at is null or key.expires_at > ${now})
          and not (key.purpose = 'scim' and key.id is not distinct from departure.scim_key_id)
        union all
        select 'identity', account.name, identity.suspended_at, account.privilege
        from workload_identity as identity
        join service_account as account
          on account.org_id = identity.org_id and account.id = identity.service_account_id
        where identity.org_id = departure.org_id and identity.made_by = departure.user_id
          and identity.removed_at is null and account.archived_at is null
      ) as one
      where case when departure.settled_at is null
        then one.suspended_at is null and ${isRoleAbove(sql`one.granted`, sql`membership.role`)}
        else one.suspended_at >= departure.departed_at
      end
    ) as made
    where departure.org_id = ${org}
      and (departure.settled_at is null
        or departure.departed_at > ${now}::timestamptz - ${DEPARTURE_LISTED_DAYS} * interval '1 day')
      and made.keys + made.workload_identities > 0
      and not exists (
        select from departure as later
        where later.org_id = departure.org_id and later.user_id = departure.user_id
          and later.departed_at > departure.departed_at
      )
    order by departure.departed_at desc, departure.id
    limit ${DEPARTURES_MAX}`.execute(db);
  return rows;
}
