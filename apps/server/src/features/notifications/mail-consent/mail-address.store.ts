import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';

/** Addresses of a source that were not asked since and have not declined, whether or not they may be mailed already. */
export async function listUnasked(db: Db, org: string, sourceId: string, since: Date): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select distinct lower(email) as address
    from notification_target as target cross join unnest(target.emails) as email
    where target.org_id = ${org} and target.source_id = ${sourceId} and target.kind = 'EMAIL' and not target.derived
      and target.removed_at is null
      and not exists (
        select from mail_address as asked
        where asked.org_id = ${org} and asked.address = lower(email)
          and (asked.asked_at > ${since} or asked.declined_at is not null)
      )
      and not exists (
        select from org_mail_refusal as refusal
        where refusal.org_id = ${org} and refusal.address = lower(email)
      )
    order by address`.execute(db);
  return rows.map((row) => row.address);
}

export async function countAsked(db: Db, org: string, since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('mail_address')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('org_id', '=', org)
    .where('asked_at', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Counts one more confirmation mail to this address, from whichever org; false when the limit of the day is reached.
 */
export async function countConfirmation(db: Db, address: string, now: Date, most: number): Promise<boolean> {
  const { rows } = await sql`
    insert into confirmation_count as counted (address, day, sent)
    values (${address}, (${now}::timestamptz at time zone 'UTC')::date, 1)
    on conflict (address, day) do update set sent = counted.sent + 1 where counted.sent < ${most}
    returning sent`.execute(db);
  return rows.length > 0;
}

export async function upsertAsked(
  db: Db,
  org: string,
  { id, address, now }: { readonly id: string; readonly address: string; readonly now: Date },
): Promise<string> {
  const row = await db
    .insertInto('mail_address')
    .values({ org_id: org, address, id, asked_at: now })
    .onConflict((conflict) => conflict.columns(['org_id', 'address']).doUpdateSet({ asked_at: now }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export interface AddressRow {
  readonly org_id: string;
  readonly id: string;
  readonly address: string;
  readonly confirmed_at: Date | null;
  readonly declined_at: Date | null;
}

const COLUMNS = ['org_id', 'id', 'address', 'confirmed_at', 'declined_at'] as const;

export function findAddress(db: Db, org: string, id: string): Promise<AddressRow | undefined> {
  return db
    .selectFrom('mail_address')
    .select(COLUMNS)
    .where('org_id', '=', org)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The token identifies the org. */
export async function findByHash(db: Db, hash: Buffer): Promise<AddressRow | undefined> {
  const { rows } = await sql<AddressRow>`
    select org_id, id, address, confirmed_at, declined_at from mail_address
    where hashes @> array[${hash}]::bytea[]`.execute(db);
  return rows[0];
}

export async function lockAddress(db: Db, org: string, id: string): Promise<void> {
  await db.selectFrom('mail_address').select('id').where('org_id', '=', org).where('id', '=', id).forUpdate().execute();
}

/** Links of earlier mails keep working, the last four of them. */
export async function addHash(db: Db, org: string, id: string, hash: Buffer): Promise<void> {
  await sql`
    update mail_address set hashes = array_append(hashes[greatest(1, cardinality(hashes) - 2):], ${hash}::bytea)
    where org_id = ${org} and id = ${id}`.execute(db);
}

export async function updateAnswer(
  db: Db,
  org: string,
  id: string,
  answer: { readonly confirmed_at: Date | null; readonly declined_at: Date | null },
): Promise<number> {
  const { revision } = await db
    .updateTable('mail_address')
    .set((row) => ({ ...answer, revision: row('revision', '+', 1) }))
    .where('org_id', '=', org)
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}
