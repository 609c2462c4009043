import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { invalid } from '../../platform/errors.ts';
import { createUser } from '../memberships/sign-up.service.ts';
import type { OrgRow } from '../orgs/org.reads.ts';
import { ruleOf } from './copied-tables.ts';
import {
  type People,
  readPeopleOf,
  requireAbsent,
  requireProcessed,
  requireReadyTarget,
  requireSameSchema,
  requireUnchanged,
} from './org-copy.checks.ts';
import { copyHistory } from './org-history.ts';
import { readBatches } from './row-stream.ts';
import { type CopiedColumns, listCopied } from './table-columns.ts';

export interface OrgCopy {
  readonly org: OrgRow;
  readonly source: Db;
  /** With the rights of the owner of its tables, as a pool: of two connections at least. */
  readonly target: Db;
  /** All that react to the journal, by name. */
  readonly processors: readonly string[];
  /** Checks and counts, and writes nothing. */
  readonly isDryRun: boolean;
}

export interface Copied {
  readonly entries: number;
  readonly people: { readonly added: number; readonly known: number };
  readonly rows: readonly { readonly table: string; readonly count: number }[];
}

/**
 * Copies an org into another database of the same version, in one transaction there and from one snapshot here. The org
 * goes on there with its own order: its index, its leaves, and the order of receipt of its evidence.
 */
export async function copyOrg(ctx: Ctx, { org, source, target, processors, isDryRun }: OrgCopy): Promise<Copied> {
  if (org.kind === 'personal') throw invalid(`'${org.name}' is a personal org. Only shared orgs are copied`);
  await requireSameSchema(source, target);
  await requireReadyTarget(target);
  await requireAbsent(target, org);
  return inSnapshot(source, async (snapshot) => {
    const size = await requireProcessed(snapshot, org, processors);
    const people = await readPeopleOf(snapshot, target, org.id);
    if (isDryRun) return describe(snapshot, org, people, size);
    return target.transaction().execute(async (db) => {
      await waitWhileReading(db);
      await addPeople({ ...ctx, db }, people);
      const rows = await copyTables(snapshot, db, org.id);
      const entries = await copyHistory({ source: snapshot, target: db, targetPool: target, org: org.id });
      await raiseReceipt(snapshot, db, org.id);
      await requireUnchanged(source, org, size);
      return { entries, people: countsOf(people), rows };
    });
  });
}

async function inSnapshot<T>(db: Db, work: (snapshot: Db) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      await waitWhileReading(snapshot);
      return work(snapshot);
    });
}

/** Each of the two transactions is idle while the other works. */
async function waitWhileReading(db: Db): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
}

/** With the id that rows of the org refer to. A personal org of theirs begins empty. */
async function addPeople(ctx: Ctx, { missing }: People): Promise<void> {
  for (const { id, login, displayName, email } of missing) await createUser(ctx, { id, login, displayName, email });
}

async function copyTables(source: Db, target: Db, org: string): Promise<Copied['rows']> {
  const rows: { table: string; count: number }[] = [];
  for (const each of await listCopied(source)) {
    rows.push({ table: each.table, count: await copyTable(source, target, each, org) });
  }
  return rows;
}

async function copyTable(source: Db, target: Db, { table, columns }: CopiedColumns, org: string): Promise<number> {
  const { instead = {}, order } = ruleOf(table);
  const read = columns.map((name) => {
    const value = instead[name];
    return value === undefined ? sql.ref(name) : sql`${sql.raw(value)} as ${sql.ref(name)}`;
  });
  const query = sql`
    select ${sql.join(read)} from ${sql.table(table)} where ${rowsOf(table, org)}
    ${order === undefined ? sql`` : sql`order by ${sql.ref(order)}`}`;
  const names = sql.join(columns.map((name) => sql.ref(name)));
  let copied = 0;
  for await (const { json, count } of readBatches(source, query)) {
    await sql`
      insert into ${sql.table(table)} (${names})
      select ${names} from json_populate_recordset(null::${sql.table(table)}, ${json}::json) with ordinality as copied
      order by ordinality`.execute(target);
    copied += count;
  }
  return copied;
}

function rowsOf(table: string, org: string) {
  const { orgColumn = 'org_id', where = 'true' } = ruleOf(table);
  return sql`${sql.ref(orgColumn)} = ${sql.lit(org)} and ${sql.raw(where)}`;
}

/** Evidence that the target receives from now on is newer than all that was copied. */
async function raiseReceipt(source: Db, target: Db, org: string): Promise<void> {
  const { rows } = await sql<{ receipt: number | null }>`
    select greatest(
      (select max(receipt) from trail where org_id = ${org}), (select max(receipt) from trail_event where org_id = ${org}),
      (select max(receipt) from artifact where org_id = ${org}), (select max(receipt) from attestation where org_id = ${org}),
      (select max(receipt) from approval where org_id = ${org})) as receipt`.execute(source);
  await sql`select raise_receipt(${rows[0]?.receipt ?? 0}::bigint)`.execute(target);
}

async function describe(source: Db, org: OrgRow, people: People, entries: number): Promise<Copied> {
  const rows: { table: string; count: number }[] = [];
  for (const { table } of await listCopied(source)) {
    const counted = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where ${rowsOf(table, org.id)}`.execute(source);
    rows.push({ table, count: counted.rows[0]?.count ?? 0 });
  }
  return { entries, people: countsOf(people), rows };
}

function countsOf({ all, missing }: People): Copied['people'] {
  return { added: missing.length, known: all.length - missing.length };
}
