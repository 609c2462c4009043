import { sql } from 'kysely';
import type { Db } from './db/db.ts';
import { SEALED_PREFIX_LENGTH, type SecretBox, sealedWith } from './secret-box.ts';

/** A column in which a feature stores sealed secrets. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns that identify a row within its org; none where an org has one row. */
  readonly id: 'id' | 'org_id';
  contextOf(id: string): string;
}

export interface Resealed {
  readonly resealed: number;
  /** Secrets that no key opens, by the id of the key that sealed them. */
  readonly left: ReadonlyMap<string, number>;
}

/** Rows that one transaction locks. */
const BATCH = 100;

/** Reseals with the newest key whatever another key sealed. Runs beside servers that hold the same keys. */
export async function resealSecrets(db: Db, box: SecretBox, columns: readonly SealedColumn[]): Promise<Resealed> {
  let resealed = 0;
  const left = new Map<string, number>();
  for (const column of columns) {
    let after: SealedRow | undefined;
    do {
      const batch = await db.transaction().execute((db) => resealBatch(db, box, column, after));
      resealed += batch.resealed;
      for (const id of batch.left) left.set(id, (left.get(id) ?? 0) + 1);
      after = batch.last;
    } while (after);
  }
  return { resealed, left };
}

interface SealedRow {
  readonly org_id: string;
  readonly id: string;
  readonly sealed: string;
}

async function resealBatch(db: Db, box: SecretBox, { table, column, id, contextOf }: SealedColumn, after?: SealedRow) {
  const [name, text, key] = [sql.table(table), sql.ref(column), sql.ref(id)];
  const { rows } = await sql<SealedRow>`
    select org_id, ${key} as id, ${text} as sealed from ${name}
    where left(${text}, ${SEALED_PREFIX_LENGTH}) <> ${box.prefix}
      and (org_id, ${key}) > (${after?.org_id ?? FIRST}::uuid, ${after?.id ?? FIRST}::uuid)
    order by org_id, ${key} limit ${BATCH} for update`.execute(db);
  const left: string[] = [];
  for (const row of rows) {
    const secret = openOrNot(box, row.sealed, contextOf(row.id));
    if (secret === undefined) {
      left.push(sealedWith(row.sealed));
      continue;
    }
    await sql`
      update ${name} set ${text} = ${box.seal(secret, contextOf(row.id))}
      where org_id = ${row.org_id} and ${key} = ${row.id}`.execute(db);
  }
  return { resealed: rows.length - left.length, left, last: rows.length < BATCH ? undefined : rows.at(-1) };
}

const FIRST = '00000000-0000-0000-0000-000000000000';

function openOrNot(box: SecretBox, sealed: string, context: string): string | undefined {
  try {
    return box.open(sealed, context);
  } catch {
    return undefined;
  }
}
