import { type RawBuilder, sql } from 'kysely';
import { conflict, invalid } from '../errors.ts';
import type { Db } from './db.ts';
import { isDuplicate, isForbiddenToRole } from './failure.ts';

/** Logs only grow. */
const GROWING = ['org_log', 'org_log_tile', 'org_log_checkpoint', 'region_log', 'region_tile', 'sealer'];
/** What was signed stays as it was. */
const UNCHANGING = ['region_leaf', 'region_checkpoint', 'checkpoint_cosignature', 'time_stamp'];

/** What a server cannot do on a table as a whole, whoever asks which privileges it lacks. */
export const WITHHELD: readonly { readonly table: string; readonly privilege: 'INSERT' | 'UPDATE' | 'DELETE' }[] = [
  ...withheld(['migration'], ['INSERT', 'UPDATE', 'DELETE']),
  ...withheld(['journal', 'ledger', ...UNCHANGING], ['UPDATE', 'DELETE']),
  ...withheld(GROWING, ['DELETE']),
];

function withheld(tables: readonly string[], privileges: readonly ('INSERT' | 'UPDATE' | 'DELETE')[]) {
  return tables.flatMap((table) => privileges.map((privilege) => ({ table, privilege })));
}

/** Held by who grants: PostgreSQL refuses two that grant the same at once. */
const LOCK = 7_021_995;

/**
 * Lets the role of a URL read and write rows, and change no table: a server needs no more, so whoever takes one over
 * cannot drop or rebuild anything. Creates the role if the owner may. Returns its name.
 */
export async function grantUse(owner: Db, url: string): Promise<string> {
  const { username, password } = new URL(url);
  const role = decodeURIComponent(username);
  if (role === '') throw invalid('WAYMARK_DATABASE_URL names no role: write it as postgres://ROLE:PASSWORD@HOST/NAME');
  await createIfMissing(owner, role, decodeURIComponent(password));
  await owner.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(db);
    const to = sql.id(role);
    const schema = sql.id(await readCurrentSchema(db));
    await sql`grant usage on schema ${schema} to ${to}`.execute(db);
    await sql`grant select, insert, update, delete on all tables in schema ${schema} to ${to}`.execute(db);
    await sql`grant usage, select on all sequences in schema ${schema} to ${to}`.execute(db);
    await sql`grant execute on all functions in schema ${schema} to ${to}`.execute(db);
    const later = sql`alter default privileges in schema ${schema}`;
    await sql`${later} grant select, insert, update, delete on tables to ${to}`.execute(db);
    await sql`${later} grant usage, select on sequences to ${to}`.execute(db);
    await sql`revoke insert, update, delete on migration from ${to}`.execute(db);
    await protectRecord(db, to);
    await protectLogs(db, to);
  });
  return role;
}

/**
 * A server cannot choose the number of an entry, change what was recorded except to erase it, or change the order. It
 * writes to the ranges of both tables only through the table.
 */
async function protectRecord(db: Db, to: RawBuilder<unknown>): Promise<void> {
  await sql`revoke insert, update, delete on journal, ledger from ${to}`.execute(db);
  await sql`grant insert (${sql.join(await listEntryColumns(db))}) on journal to ${to}`.execute(db);
  await sql`grant update (payload, nonce, actor_digest) on journal to ${to}`.execute(db);
  await sql`grant insert on ledger to ${to}`.execute(db);
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent in ('journal'::regclass, 'ledger'::regclass)`.execute(db);
  for (const { name } of rows) await sql`revoke insert, update, delete on ${sql.table(name)} from ${to}`.execute(db);
}

async function protectLogs(db: Db, to: RawBuilder<unknown>): Promise<void> {
  await sql`revoke delete on ${sql.join(GROWING.map((table) => sql.table(table)))} from ${to}`.execute(db);
  await sql`revoke update, delete on ${sql.join(UNCHANGING.map((table) => sql.table(table)))} from ${to}`.execute(db);
}

/** All but the number, which only ever is its default, and whether processors pass the entry by. */
async function listEntryColumns(db: Db): Promise<RawBuilder<unknown>[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = 'journal'::regclass and attnum > 0 and not attisdropped and attname not in ('seq', 'is_imported')`.execute(
    db,
  );
  return rows.map(({ name }) => sql.id(name));
}

async function createIfMissing(db: Db, role: string, password: string): Promise<void> {
  const { rows } = await sql`select from pg_roles where rolname = ${role}`.execute(db);
  if (rows.length > 0) return;
  try {
    const withPassword = password === '' ? sql`` : sql` password ${sql.lit(password)}`;
    await sql`create role ${sql.id(role)} login${withPassword}`.execute(db);
  } catch (error) {
    if (isDuplicate(error)) return;
    if (!isForbiddenToRole(error)) throw error;
    throw conflict(
      `Role '${role}' is missing, and the owner of the database may not create it: create it, and run this again`,
    );
  }
}

async function readCurrentSchema(db: Db): Promise<string> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
  return rows[0]?.schema ?? '';
}
