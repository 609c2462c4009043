import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { StepWindow } from './expiry-steps.ts';

export interface DueKey {
  readonly id: string;
  /** The org that the key belongs to. */
  readonly org_id: string;
  readonly description: string;
  /** Login of a person, or name of a service account. */
  readonly owner: string;
  /** Of the owner of a personal key; null for one without an address, and for a service account. */
  readonly email: string | null;
  readonly is_personal: boolean;
  readonly creating_user_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  /** The latest step that has come, in days before the expiry. */
  readonly step: number;
  /** The position in the list to continue from: finer than a Date. */
  readonly place: string;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Keys of all orgs with a step that has come and has no notice yet, first to expire first. Steps whose time was over
 * when the key was created do not count. Each window has its own limit, and notices are looked up instead of joined, so
 * that PostgreSQL reads little: otherwise it reads all keys that ever expire, and all notices.
 */
export async function listDueKeys(
  db: Db,
  windows: readonly StepWindow[],
  limit: number,
  after: Pick<DueKey, 'place' | 'id'> | undefined,
): Promise<DueKey[]> {
  const { rows } = await sql<DueKey>`
    select key.*, due.step
    from unnest(${windows.map(({ step }) => step)}::integer[], ${windows.map(({ from }) => from)}::timestamptz[],
      ${windows.map(({ until }) => until)}::timestamptz[]) as due (step, expires_after, expires_until)
    cross join lateral (
      select key.id, home.org_id, key.description, coalesce(person.login, account.name) as owner, person.email,
        key.user_id is not null as is_personal, account.creating_user_id, key.created_at, key.expires_at,
        key.expires_at::text as place
      from api_key as key
      left join user_account as person on person.id = key.user_id
      left join service_account as account on account.org_id = key.org_id and account.id = key.service_account_id
      cross join lateral (select coalesce(key.org_id, key.only_org_id, person.personal_org_id) as org_id) as home
      where key.expires_at > due.expires_after and key.expires_at <= due.expires_until
        and key.revoked_at is null and key.replaced_by is null
        and key.workload_identity_id is null and key.workload is null
        and account.archived_at is null
        and key.created_at < key.expires_at - due.step * interval '24 hours'
        and coalesce((
          select min(notice.step) from api_key_notice as notice
          where notice.org_id = home.org_id and notice.key_id = key.id
        ) > due.step, true)
        and (key.expires_at, key.id) > (${after?.place ?? '-infinity'}::timestamptz, ${after?.id ?? NO_ID}::uuid)
      order by key.expires_at, key.id limit ${limit}
    ) as key
    order by key.expires_at, key.id
    limit ${limit}`.execute(db);
  return rows;
}

interface Notice {
  readonly key_id: string;
  readonly step: number;
}

/**
 * Takes steps of keys that are still valid. Returns those that nobody had taken before: the caller notifies about them.
 * Always in the same order, so that two transactions that take the same steps do not deadlock.
 */
export async function insertNotices(
  db: Db,
  org: string,
  notices: readonly Notice[],
  now: Date,
): Promise<readonly Notice[]> {
  const { rows } = await sql<Notice>`
    insert into api_key_notice (org_id, key_id, step, noticed_at)
    select ${org}, key.id, due.step, ${now}
    from unnest(${notices.map(({ key_id }) => key_id)}::uuid[], ${notices.map(({ step }) => step)}::integer[])
      as due (key_id, step)
    join api_key as key on key.id = due.key_id
    where key.revoked_at is null and key.replaced_by is null
    order by key.id, due.step
    on conflict do nothing
    returning key_id, step`.execute(db);
  return rows;
}

export async function updateNotices(
  db: Db,
  org: string,
  notified: readonly (Notice & { readonly message_id: string })[],
): Promise<void> {
  await sql`
    update api_key_notice as notice set message_id = notified.message_id
    from unnest(${notified.map(({ key_id }) => key_id)}::uuid[], ${notified.map(({ step }) => step)}::integer[],
      ${notified.map(({ message_id }) => message_id)}::uuid[]) as notified (key_id, step, message_id)
    where notice.org_id = ${org} and notice.key_id = notified.key_id and notice.step = notified.step`.execute(db);
}

interface Addressee {
  readonly user_id: string;
  readonly is_admin: boolean;
  readonly email: string;
}

/** The named users who are still members, and the admins of the org, if they have an address. */
export function listAddressees(
  db: Db,
  org: string,
  userIds: readonly string[],
  adminsMax: number,
): Promise<Addressee[]> {
  return db
    .selectFrom('membership')
    .innerJoin('user_account as person', 'person.id', 'membership.user_id')
    .select(['membership.user_id', 'person.email'])
    .select((row) => row('membership.role', '=', 'admin').as('is_admin'))
    .$narrowType<{ email: string; is_admin: boolean }>()
    .where('membership.org_id', '=', org)
    .where('membership.removed_at', 'is', null)
    .where('person.email', 'is not', null)
    .where((row) =>
      row.or([
        row('membership.role', '=', 'admin'),
        row('membership.user_id', '=', sql<string>`any(${userIds}::uuid[])`),
      ]),
    )
    .orderBy('is_admin')
    .orderBy('person.login')
    .limit(userIds.length + adminsMax)
    .execute();
}
