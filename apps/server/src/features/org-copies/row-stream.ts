import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';

const FIRST_ROWS = 100;
const MAX_ROWS = 5_000;
/** Of a batch, in either process. A row can have a megabyte and more. */
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Reads the rows of a query in batches, each as a JSON array that PostgreSQL wrote and only PostgreSQL reads, so that
 * no value passes through a type of JavaScript. In a transaction.
 */
export async function* readBatches(
  db: Db,
  query: RawBuilder<unknown>,
): AsyncGenerator<{ json: string; count: number }> {
  await sql`declare copied no scroll cursor for select row_to_json(one)::text as row from (${query}) as one`.execute(
    db,
  );
  for (let wanted = FIRST_ROWS; ; ) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(wanted)} from copied`.execute(db);
    if (rows.length === 0) break;
    const json = `[${rows.map(({ row }) => row).join(',')}]`;
    yield { json, count: rows.length };
    wanted = Math.min(MAX_ROWS, Math.max(1, Math.floor((BATCH_BYTES * rows.length) / json.length)));
  }
  await sql`close copied`.execute(db);
}
