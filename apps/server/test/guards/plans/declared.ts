import { sql } from 'kysely';
import { statementNames } from '../../../src/platform/db/statement-names.ts';

/** A declared statement with its parameters in place. */
export function declared(name: string, values: readonly unknown[]): ReturnType<typeof sql> {
  const text = [...statementNames].find(([, known]) => known === name)?.[0] ?? '';
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    sql``,
  );
}
