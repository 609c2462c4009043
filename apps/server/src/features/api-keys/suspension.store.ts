import type { Role } from '@waymark/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { isRoleAbove } from '../../platform/db/role-rank.ts';

/** A person whose grants end: all of them, or those above their remaining role. */
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

export interface SuspensionScope {
  readonly now: Date;
  /** The credential in use. The key for SCIM stays, or the provider could remove nobody else from the org. */
  readonly acting: string | null;
  /** Only this service account; all if absent. */
  readonly account?: string;
}

/** For a former member, everything is above their role. */
function isAbove(privilege: RawBuilder<unknown>): RawBuilder<unknown> {
  return isRoleAbove(privilege, sql`departed.role`);
}

function rowsOf(departed: readonly Departed[]): RawBuilder<unknown> {
  return sql`unnest(${departed.map(({ id }) => id)}::uuid[], ${departed.map(({ role }) => role)}::text[])
    as departed (id, role)`;
}

/**
 * People whose role is below a service account's, and who made keys or workload identities of it that are not
 * suspended.
 */
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

/** Without those that have ended or are already suspended. */
function isLosing(scope: SuspensionScope): {
  readonly identity: RawBuilder<unknown>;
  readonly key: RawBuilder<unknown>;
} {
  const { now, acting, account = null } = scope;
  const isMeant = sql`(${account}::uuid is null or account.id = ${account}::uuid)`;
  return {
    identity: sql`identity.made_by = departed.id and identity.removed_at is null and identity.suspended_at is null
      and account.org_id = identity.org_id and account.id = identity.service_account_id
      and ${isMeant} and ${isAbove(sql`account.privilege`)}`,
    // A key for SCIM grants roles, so it counts as an admin's.
    key: sql`key.made_by = departed.id and key.revoked_at is null
      and (key.expires_at is null or key.expires_at > ${now}) and key.suspended_at is null
      and not (key.purpose = 'scim' and key.id is not distinct from ${acting}::uuid)
      and account.org_id = key.org_id and account.id = key.service_account_id
      and ${isMeant} and ${isAbove(sql`case key.purpose when 'scim' then 'admin' else account.privilege end`)}`,
  };
}

/** The people who made something that would be suspended. */
export async function listLosing(
  db: Db,
  org: string,
  departed: readonly Departed[],
  scope: SuspensionScope,
): Promise<{ id: string }[]> {
  const { identity, key } = isLosing(scope);
  const { rows } = await sql<{ id: string }>`
    select departed.id from ${rowsOf(departed)}
    where exists (
        select from workload_identity as identity, service_account as account
        where identity.org_id = ${org} and ${identity}
      )
      or exists (select from api_key as key, service_account as account where key.org_id = ${org} and ${key})
  `.execute(db);
  return rows;
}

/** Waits for token exchanges in progress, so that the keys they make are found afterwards. */
export async function suspendIdentities(
  db: Db,
  org: string,
  departed: readonly Departed[],
  scope: SuspensionScope,
): Promise<MadeIdentity[]> {
  const { rows } = await sql<MadeIdentity>`
    update workload_identity as identity set suspended_at = ${scope.now}, revision = identity.revision + 1
    from ${rowsOf(departed)}, service_account as account
    where identity.org_id = ${org} and ${isLosing(scope).identity}
    returning identity.id, identity.revision, identity.name, departed.id as maker_id, account.name as account_name
  `.execute(db);
  return rows;
}

export async function suspendKeys(
  db: Db,
  org: string,
  departed: readonly Departed[],
  scope: SuspensionScope,
): Promise<MadeKey[]> {
  const { rows } = await sql<MadeKey>`
    update api_key as key set suspended_at = ${scope.now}, revision = key.revision + 1
    from ${rowsOf(departed)}, service_account as account
    where key.org_id = ${org} and ${isLosing(scope).key}
    returning key.id, key.revision, key.description, key.purpose, departed.id as maker_id, account.id as account_id,
      account.name as account_name, key.workload is not null as is_of_job
  `.execute(db);
  return rows;
}
