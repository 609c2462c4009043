import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { RecordFacts, Row } from './expected.ts';
import { recordedPayload } from './subject-entries.ts';

/** Reads what is needed to resolve the names in entries about these rows. */
export async function readFacts(db: Db, org: string, rows: readonly Row[]): Promise<RecordFacts> {
  const idsIn = (column: string) => rows.map((row) => row[column]).filter((id) => typeof id === 'string');
  const trails = await listTrails(db, org, [...new Set(idsIn('trail_id'))]);
  const flows = [...idsIn('flow_id'), ...[...trails.values()].map(({ flow_id }) => flow_id)];
  const names = await listNames(db, org, [...new Set([...flows, ...idsIn('environment_id')])]);
  const nobody: ReadonlySet<string> = new Set();
  return { namesOf: (id) => names.get(id) ?? nobody, trailOf: (id) => trails.get(id) };
}

interface Trail {
  readonly id: string;
  readonly name: string;
  readonly flow_id: string;
}

async function listTrails(db: Db, org: string, ids: readonly string[]): Promise<Map<string, Trail>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Trail>`
    select id, name, flow_id from trail where org_id = ${org} and id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** All names that they ever had, as entries say. */
async function listNames(db: Db, org: string, ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const names = new Map<string, Set<string>>();
  if (ids.length === 0) return names;
  const { rows } = await sql<Parameters<typeof recordedPayload>[0] & { readonly subject_id: string }>`
    select journal.subject_id, journal.payload, journal.nonce, journal.payload_digest
    from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${org} and ledger.subject_id = any(${ids}::uuid[]) and journal.org_id = ${org}
      and journal.type in ('flow.created', 'flow.auto_created', 'flow.renamed', 'environment.created',
        'environment.renamed')`.execute(db);
  for (const row of rows) {
    const { name, from, to } = recordedPayload(row) ?? {};
    const known = names.get(row.subject_id) ?? new Set();
    for (const one of [name, from, to]) if (typeof one === 'string') known.add(one);
    names.set(row.subject_id, known);
  }
  return names;
}
