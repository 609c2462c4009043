import { type Role, roles } from '@waymark/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';

/** Somebody whose grants end: all of them, or those above the role that is left. */
export interface Departed {
  readonly id: string;
  readonly login: string;
  readonly role: Role | null;
}

export interface MadeKey {
  readonly id: string;
  readonly revision: number;
  readonly description: string;
  readonly purpose: 'api' | 'scim';
  readonly maker_id: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly is_of_job: boolean;
}

export interface MadeIdentity {
  readonly id: string;
  readonly revision: number;
  readonly name: string;
  readonly maker_id: string;
  readonly account_name: string;
}

export interface Scope {
  readonly now: Date;
  /** The one service account to look at; null for all. */
  readonly account?: string | null;
}

const RANKS = sql`${[...roles]}::text[]`;

/** Everything is above somebody who is no longer a member. */
function isAbove(privilege: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(departed.role is null or array_position(${RANKS}, ${privilege}) > array_position(${RANKS}, departed.role))`;
}

function rowsOf(departed: readonly Departed[]): RawBuilder<unknown> {
  return sql`unnest(${departed.map(({ id }) => id)}::uuid[], ${departed.map(({ role }) => role)}::text[])
    as departed (id, role)`;
}

/** People who may do less than a service account, and made keys or workload identities of it that are not suspended. */
export async function listOutranked(db: Db, org: string, account: string): Promise<Departed[]> {
  const { rows } = await sql<Departed>`
    with made as (
      select made_by from api_key
      where org_id = ${org} and service_account_id = ${account} and revoked_at is null and suspended_at is null
      union
      select made_by from workload_identity
      where org_id = ${org} and service_account_id = ${account} and removed_at is null and suspended_at is null
    )
    select departed.id, departed.login, departed.role
    from (
      select person.id, person.login, membership.role
      from made
      join user_account as person on person.id = made.made_by
      left join membership
        on membership.org_id = ${org} and membership.user_id = person.id and membership.removed_at is null
    ) as departed
    join service_account as account on account.org_id = ${org} and account.id = ${account}
    where ${isAbove(sql`account.privilege`)}
  `.execute(db);
  return rows;
}

/** Waits for exchanges of tokens that are under way: the keys they make are there afterwards. */
export async function suspendIdentities(
  db: Db,
  org: string,
  departed: readonly Departed[],
  { now, account = null }: Scope,
): Promise<MadeIdentity[]> {
  const { rows } = await sql<MadeIdentity>`
    update workload_identity as identity set suspended_at = ${now}, revision = identity.revision + 1
    from ${rowsOf(departed)}, service_account as account
    where identity.org_id = ${org} and identity.made_by = departed.id and identity.removed_at is null
      and identity.suspended_at is null
      and account.org_id = identity.org_id and account.id = identity.service_account_id
      and (${account}::uuid is null or account.id = ${account}::uuid)
      and ${isAbove(sql`account.privilege`)}
    returning identity.id, identity.revision, identity.name, departed.id as maker_id, account.name as account_name
  `.execute(db);
  return rows;
}

/**
 * A key for SCIM gives roles, so it counts as one of an admin. `acting` is the credential in use: if it is the key for
 * SCIM, it stays, or the identity provider could take nobody else out of the org.
 */
export async function suspendKeys(
  db: Db,
  org: string,
  departed: readonly Departed[],
  { now, account = null }: Scope,
  acting: string | null,
): Promise<MadeKey[]> {
  const { rows } = await sql<MadeKey>`
    update api_key as key set suspended_at = ${now}, revision = key.revision + 1
    from ${rowsOf(departed)}, service_account as account
    where key.org_id = ${org} and key.made_by = departed.id and key.revoked_at is null
      and (key.expires_at is null or key.expires_at > ${now})
      and key.suspended_at is null
      and not (key.purpose = 'scim' and key.id is not distinct from ${acting}::uuid)
      and account.org_id = key.org_id and account.id = key.service_account_id
      and (${account}::uuid is null or account.id = ${account}::uuid)
      and ${isAbove(sql`case key.purpose when 'scim' then 'admin' else account.privilege end`)}
    returning key.id, key.revision, key.description, key.purpose, departed.id as maker_id, account.id as account_id,
      account.name as account_name, key.workload is not null as is_of_job
  `.execute(db);
  return rows;
}
