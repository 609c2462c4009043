import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { readOrgRow } from '../orgs/org.reads.ts';
import { findUserById, readPeople } from '../users/user.reads.ts';
import { findRole } from './membership.store.ts';

export interface AdminMail {
  readonly kind: string;
  readonly now: Date;
  /** When to send it: what happens until then goes into the same mail. */
  readonly dueAt: Date;
}

/** The others learn of it from them. */
const MAILED_MAX = 100;
/** Admins without an address get no mail, so more are read. */
const READ_MAX = 1_000;

/** One mail per admin with an address, unless one of this kind is already waiting. */
export async function insertMailsToAdmins(db: Db, org: string, { kind, now, dueAt }: AdminMail): Promise<void> {
  const admins = await listAdminsWithout(db, org, kind);
  const people = await readPeople(db, admins);
  const mails = admins
    .filter((id) => typeof people.get(id)?.email === 'string')
    .slice(0, MAILED_MAX)
    .map((id) => ({ id: newId(), kind, subject_id: id, org_id: org, due_at: dueAt, created_at: now }));
  if (mails.length > 0) await db.insertInto('mail').values(mails).execute();
}

/** Admins for whom no mail of this kind is waiting. */
async function listAdminsWithout(db: Db, org: string, kind: string): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id
    from membership
    where org_id = ${org} and role = 'admin' and removed_at is null
      and not exists (
        select from mail
        where mail.kind = ${kind} and mail.subject_id = membership.user_id and mail.org_id = ${org}
          and mail.sent_at is null and mail.failed_at is null
      )
    order by created_at
    limit ${READ_MAX}`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

/** The recipient of a mail about an org; undefined for someone who is no longer its admin. */
export async function findAdmin(
  db: Db,
  org: string,
  user: string,
): Promise<{ email: string; org_name: string } | undefined> {
  const isAdmin = (await findRole(db, org, user)) === 'admin';
  const email = isAdmin ? (await findUserById(db, user))?.email : undefined;
  return email ? { email, org_name: (await readOrgRow(db, org)).name } : undefined;
}
