import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';

export interface AdminMail {
  readonly kind: string;
  readonly now: Date;
  /** When to send it: what happens until then goes into the same mail. */
  readonly dueAt: Date;
}

/** One mail per admin with an address, unless one of this kind is already waiting. */
export async function insertMailsToAdmins(db: Db, org: string, { kind, now, dueAt }: AdminMail): Promise<void> {
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

/** The recipient of a mail about an org; undefined for someone who is no longer its admin. */
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
