import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';

/** Undefined when it is removed or disabled already. */
export async function updateToDisabled(
  db: Db,
  org: string,
  target: string,
  { because, at }: { readonly because: string; readonly at: Date },
) {
  const updated = await db
    .updateTable('notification_target as target')
    .set({ revision: sql`revision + 1` })
    .where('org_id', '=', org)
    .where('id', '=', target)
    .where('removed_at', 'is', null)
    .where(
      sql<SqlBool>`exists (
        select from target_state as state
        where state.org_id = ${org} and state.target_id = ${target} and state.disabled_at is null
      )`,
    )
    .returning(['source_id', 'config_type', 'kind', 'url_host', 'revision'])
    .executeTakeFirst();
  if (!updated) return undefined;
  await db
    .updateTable('target_state')
    .set({ disabled_at: at, disabled_because: because, due_at: null, paused_until: null })
    .where('org_id', '=', org)
    .where('target_id', '=', target)
    .execute();
  return updated;
}

export interface DisabledMail {
  readonly kind: string;
  readonly now: Date;
  /** Targets that are given up in the meantime are told of in the same mail. */
  readonly dueAt: Date;
}

/** One mail for each admin who has an address, unless one waits already. */
export async function insertMailsToAdmins(db: Db, org: string, { kind, now, dueAt }: DisabledMail): Promise<void> {
  const { rows: admins } = await sql<{ id: string }>`
    select person.id
    from membership
    join user_account as person on person.id = membership.user_id
    where membership.org_id = ${org} and membership.role = 'admin' and membership.removed_at is null
      and person.email is not null
      and not exists (
        select from mail
        where mail.kind = ${kind} and mail.subject_id = person.id and mail.org_id = ${org}
          and mail.sent_at is null and mail.failed_at is null
      )
    order by membership.created_at
    limit 100`.execute(db);
  if (admins.length === 0) return;
  const mails = admins.map(({ id }) => ({
    id: newId(),
    kind,
    subject_id: id,
    org_id: org,
    due_at: dueAt,
    created_at: now,
  }));
  await db.insertInto('mail').values(mails).execute();
}

export interface DisabledTarget {
  readonly source_name: string | null;
  readonly kind: string;
  readonly url_host: string | null;
  readonly disabled_because: string | null;
}

/** Whom a mail about an org goes to; undefined for who is no admin of it any more. */
export async function findAdmin(db: Db, org: string, user: string) {
  const { rows } = await sql<{ email: string; org_name: string }>`
    select person.email, org.name as org_name
    from membership
    join user_account as person on person.id = membership.user_id
    join org on org.id = membership.org_id
    where membership.org_id = ${org} and membership.user_id = ${user} and membership.role = 'admin'
      and membership.removed_at is null and person.email is not null`.execute(db);
  return rows[0];
}

/** Those that are still given up, and that no mail of this kind told this person of. */
export async function listUntold(db: Db, org: string, user: string, { kind, limit }: { kind: string; limit: number }) {
  const { rows } = await sql<DisabledTarget>`
    select notification.name as source_name, target.kind, target.url_host, state.disabled_because
    from target_state as state
    join notification_target as target on target.org_id = state.org_id and target.id = state.target_id
    left join notification on notification.org_id = target.org_id and notification.id = target.source_id
      and target.config_type is null
    where state.org_id = ${org} and target.removed_at is null
      and state.disabled_at > coalesce((
        select max(mail.sent_at) from mail
        where mail.kind = ${kind} and mail.subject_id = ${user} and mail.org_id = ${org}
      ), '-infinity')
    order by state.disabled_at, state.target_id
    limit ${limit}`.execute(db);
  return rows;
}
