import type { Role } from '@waymark/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { isRoleAbove } from '../../platform/db/role-rank.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type StoredChangeRequest = Selectable<Tables['change_request']>;

/** Serializes decisions about an org's change requests, so that each is made once. */
export function lockRequests(db: Db, org: string): Promise<void> {
  return lockSubject(db, org, 'change_requests', '');
}

export async function insertRequest(db: Db, request: Insertable<Tables['change_request']>): Promise<void> {
  await db.insertInto('change_request').values(request).execute();
}

export function findRequest(db: Db, org: string, id: string): Promise<StoredChangeRequest | undefined> {
  return db.selectFrom('change_request').selectAll().where('org_id', '=', org).where('id', '=', id).executeTakeFirst();
}

/** The pending request for exactly the same change. */
export function findSamePending(
  db: Db,
  {
    org_id,
    asked_by,
    operation,
    input_sha256,
  }: Pick<StoredChangeRequest, 'org_id' | 'asked_by' | 'operation' | 'input_sha256'>,
): Promise<StoredChangeRequest | undefined> {
  return db
    .selectFrom('change_request')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('asked_by', '=', asked_by)
    .where('operation', '=', operation)
    .where('input_sha256', '=', input_sha256)
    .where('state', '=', 'pending')
    .executeTakeFirst();
}

export function listRequests(
  db: Db,
  org: string,
  state: StoredChangeRequest['state'],
  limit: number,
): Promise<StoredChangeRequest[]> {
  return db
    .selectFrom('change_request')
    .selectAll()
    .where('org_id', '=', org)
    .where('state', '=', state)
    .orderBy('asked_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function countPending(db: Db, org: string): Promise<number> {
  const { count } = await db
    .selectFrom('change_request')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('org_id', '=', org)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function updateRequest(
  db: Db,
  { org_id, id }: Pick<StoredChangeRequest, 'org_id' | 'id'>,
  values: Updateable<Tables['change_request']>,
): Promise<void> {
  await db.updateTable('change_request').set(values).where('org_id', '=', org_id).where('id', '=', id).execute();
}

/**
 * Over all orgs: requests that expired, and those whose asker, or the account they asked through, lost the role for it.
 */
export async function listDue(db: Db, now: Date, limit: number): Promise<{ org_id: string; id: string }[]> {
  const { rows } = await sql<{ org_id: string; id: string }>`
    select request.org_id, request.id
    from change_request as request
    left join membership
      on membership.org_id = request.org_id and membership.user_id = request.asked_by and membership.removed_at is null
    left join service_account as account
      on account.org_id = request.org_id and account.id = request.actor_id and account.archived_at is null
    where request.state = 'pending' and (
      request.expires_at <= ${now}
      or ${isRoleAbove(sql`request.least_role`, sql`membership.role`)}
      or request.actor_kind = 'service_account' and ${isRoleAbove(sql`request.least_role`, sql`account.privilege`)}
    )
    order by request.expires_at
    limit ${limit}`.execute(db);
  return rows;
}

/** The role of an active service account. */
export async function findPrivilege(db: Db, org: string, id: string): Promise<Role | undefined> {
  const account = await db
    .selectFrom('service_account')
    .select('privilege')
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  return account?.privilege;
}
