import type { Role } from '@waymark/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { isRoleAbove } from '../../platform/db/role-rank.ts';

/** A person who left the org, or lost their role. */
export interface DepartedMaker {
  /** Of the departure. */
  readonly id: string;
  readonly user_id: string;
  /** The one that remains. */
  readonly role: Role | null;
  readonly departed_at: Date;
  /** Null as long as nothing is suspended yet. */
  readonly settled_at: Date | null;
  /** The key for SCIM that removed them: it stays. */
  readonly scim_key_id: string | null;
}

export interface DepartedGrants {
  readonly service_accounts: readonly string[];
  readonly keys: number;
  readonly workload_identities: number;
}

/** By departure, what the person made that was suspended since, or will be. Without departures that suspend nothing. */
export async function readDepartedGrants(
  db: Db,
  org: string,
  departures: readonly DepartedMaker[],
  now: Date,
): Promise<ReadonlyMap<string, DepartedGrants>> {
  const { rows } = await sql<DepartedGrants & { id: string }>`
    select departure.id, array_agg(distinct account_name) as service_accounts,
      count(*) filter (where kind = 'key')::integer as keys,
      count(*) filter (where kind = 'identity')::integer as workload_identities
    from unnest(${departures.map(({ id }) => id)}::uuid[], ${departures.map(({ user_id }) => user_id)}::uuid[],
      ${departures.map(({ role }) => role)}::text[],
      ${departures.map(({ departed_at }) => departed_at)}::timestamptz[],
      ${departures.map(({ settled_at }) => settled_at)}::timestamptz[],
      ${departures.map(({ scim_key_id }) => scim_key_id)}::uuid[]
    ) as departure (id, user_id, role, departed_at, settled_at, scim_key_id)
    cross join lateral (
      select 'key' as kind, account.name as account_name, key.suspended_at,
        case key.purpose when 'scim' then 'admin' else account.privilege end as granted
      from api_key as key
      join service_account as account on account.org_id = key.org_id and account.id = key.service_account_id
      where key.org_id = ${org} and key.made_by = departure.user_id and key.workload is null
        and key.revoked_at is null and (key.expires_at is null or key.expires_at > ${now})
        and not (key.purpose = 'scim' and key.id is not distinct from departure.scim_key_id)
      union all
      select 'identity', account.name, identity.suspended_at, account.privilege
      from workload_identity as identity
      join service_account as account
        on account.org_id = identity.org_id and account.id = identity.service_account_id
      where identity.org_id = ${org} and identity.made_by = departure.user_id
        and identity.removed_at is null and account.archived_at is null
    ) as one
    where case when departure.settled_at is null
      then one.suspended_at is null and ${isRoleAbove(sql`one.granted`, sql`departure.role`)}
      else one.suspended_at >= departure.departed_at
    end
    group by departure.id`.execute(db);
  return new Map(rows.map(({ id, ...grants }) => [id, grants]));
}
