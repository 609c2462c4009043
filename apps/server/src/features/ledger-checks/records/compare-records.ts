import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { type OnDifference, shown } from '../difference.ts';
import { orMalformed } from '../malformed.ts';
import type { RecordEntry } from './entry.ts';
import { type Expected, fits, type RecordFacts, type Row, says } from './expected.ts';
import { readFacts } from './facts.reads.ts';
import { keyOf, type ReadableEntry, type RecordKind, type RecordTable } from './record-kind.ts';
import { RECORD_KINDS } from './record-kinds.ts';
import { type ComparedRow, createRecordedRows, type RecordedRows } from './recorded-rows.ts';
import { listEntriesAbout } from './subject-entries.ts';

const WITHOUT = [...RECORD_KINDS.values()].flatMap(({ without = [] }) => without);

/** The entry about an erasure says again what is left. */
const RESTATING = 'attestation.erased';

/** Compares all rows of some subjects with what the entries about them say. */
export async function compareRecords(
  db: Db,
  org: string,
  subjects: readonly string[],
  onDifference: OnDifference,
): Promise<void> {
  const entries = await listEntriesAbout(db, org, subjects, WITHOUT);
  const restated = new Set(entries.filter(({ type }) => type === RESTATING).map(({ subject }) => subject));
  const unreadable = entries.filter(({ payload, subject }) => payload === null && !restated.has(subject));
  const skipped = new Set(unreadable.map(({ subject }) => subject));
  let kinds = new Map<RecordKind, Folded>();
  for (let place = 0; place < entries.length; place++) {
    const entry = entries[place];
    const kind = entry && RECORD_KINDS.get(entry.kind);
    if (!entry || !kind || !isReadable(entry) || skipped.has(entry.subject)) continue;
    const folded = kinds.get(kind) ?? { subjects: new Set(), rows: createRecordedRows(), restated };
    kinds.set(kind, folded);
    folded.subjects.add(entry.subject);
    if (await orMalformed({ org, ...entry }, onDifference, () => kind.fold(entry, folded.rows))) continue;
    // What the entry had already put there belongs to no known state: all is folded again without its subject.
    skipped.add(entry.subject);
    kinds = new Map();
    place = -1;
  }
  for (const [kind, folded] of kinds) await compareKind(db, org, kind, folded, onDifference);
}

interface Folded {
  readonly subjects: Set<string>;
  readonly rows: RecordedRows;
  /** Subjects of which only what is left after an erasure is known. */
  readonly restated: ReadonlySet<string>;
}

function isReadable(entry: RecordEntry): entry is ReadableEntry & { index: number | null } {
  return entry.payload !== null;
}

async function compareKind(
  db: Db,
  org: string,
  { tables }: RecordKind,
  folded: Folded,
  onDifference: OnDifference,
): Promise<void> {
  const stored: [RecordTable, Row[]][] = [];
  for (const [i, table] of tables.entries()) {
    const subjects = [...folded.subjects].filter((subject) => i === 0 || !folded.restated.has(subject));
    stored.push([table, await listRows(db, org, table, subjects)]);
  }
  const facts = await readFacts(
    db,
    org,
    stored.flatMap(([, rows]) => rows),
  );
  for (const [table, rows] of stored) {
    const report: OnDifference = (difference) => onDifference({ ...difference, org, table: table.table });
    compareTable(table, rows, folded.rows.rows(table.table), facts, report);
  }
}

function compareTable(
  table: RecordTable,
  rows: readonly Row[],
  recorded: ReadonlyMap<string, ComparedRow>,
  facts: RecordFacts,
  report: OnDifference,
): void {
  const about = { org: null, table: table.table };
  const seen = new Set<string>();
  for (const row of rows) {
    const key = keyOf(table, row);
    if (seen.has(key)) report({ ...about, row: key, column: null, index: null, says: 'exists more than once' });
    seen.add(key);
    const found = recorded.get(key);
    if (found) compareRow(table, row, found, facts, report);
    else report({ ...about, row: key, column: null, index: null, says: 'exists, but no entry records it' });
  }
  for (const [key, { entry, mayBeGone }] of recorded) {
    if (seen.has(key) || mayBeGone) continue;
    const missing = `is missing, but entry ${entry.index} (${entry.type}) records it`;
    report({ ...about, row: key, column: null, index: entry.index, says: missing });
  }
}

function compareRow(
  table: RecordTable,
  row: Row,
  recorded: ComparedRow,
  facts: RecordFacts,
  report: OnDifference,
): void {
  const about = { org: null, table: table.table, row: keyOf(table, row) };
  for (const [column, { value, entry }] of recorded.columns) {
    if (fits(row[column], value, facts)) continue;
    const clause = `is ${shown(row[column])}, but entry ${entry.index} (${entry.type}) records ${says(value)}`;
    report({ ...about, column, index: entry.index, says: clause });
  }
  const derived: Readonly<Record<string, Expected>> = table.derive?.(row) ?? {};
  for (const [column, value] of Object.entries(derived)) {
    if (fits(row[column], value, facts)) continue;
    const clause = `is ${shown(row[column])}, but follows from what is recorded as ${says(value)}`;
    report({ ...about, column, index: recorded.entry.index, says: clause });
  }
}

/** The rows as JSON, so that every type has one form. */
export async function listRows(db: Db, org: string, table: RecordTable, ids: readonly string[]): Promise<Row[]> {
  const name = sql.id(table.table);
  const orgColumn = sql.id(table.orgColumn ?? 'org_id');
  const of = sql.id(table.of);
  const number = table.numberedBy
    ? sql`|| jsonb_build_object('#', row_number() over (partition by ${of} order by ${sql.id(table.numberedBy)}))`
    : sql``;
  const { rows } = await sql<{ row: Row }>`
    select to_jsonb(stored) ${number} as row from ${name} as stored
    where ${orgColumn} = ${org} and ${of} = any(${ids}::uuid[]) ${table.where ? sql`and ${sql.raw(table.where)}` : sql``}
  `.execute(db);
  return rows.map(({ row }) => row);
}
