import { CompiledQuery } from 'kysely';
import { type Db, poolOf } from './db.ts';
import { statementNames, unpreparedNames } from './statement-names.ts';

/**
 * Declares a hot statement: written as SQL with `:name` parameters, prepared once per connection and run by name.
 * Measured 2026-11: 1.9 times the rate of the same text sent unnamed.
 */
export function statement<Params extends Record<string, unknown>, Row>(
  name: string,
  text: string,
): (db: Db, params: Params) => Promise<Row[]> {
  return declare(name, text, statementNames);
}

/**
 * Declares a statement that PostgreSQL plans for its parameters each time. A generic plan assumes that every
 * environment is average, and reads the whole history of one that is not.
 */
export function unprepared<Params extends Record<string, unknown>, Row>(
  name: string,
  text: string,
): (db: Db, params: Params) => Promise<Row[]> {
  return declare(name, text, unpreparedNames);
}

function declare<Params extends Record<string, unknown>, Row>(
  name: string,
  text: string,
  names: Map<string, string>,
): (db: Db, params: Params) => Promise<Row[]> {
  const order: string[] = [];
  const compiled = text.replace(/(?<!:):([a-z_]+)/g, (_, param: string) => {
    if (!order.includes(param)) order.push(param);
    return `$${order.indexOf(param) + 1}`;
  });
  if (names.has(compiled)) throw new Error(`statement ${name} is declared twice`);
  names.set(compiled, name);
  return async (db, params) => {
    const values = order.map((param) => params[param]);
    const pool = poolOf(db);
    const { rows } = pool
      ? await pool.query(compiled, values)
      : await db.executeQuery<Row>(CompiledQuery.raw(compiled, values));
    return rows as Row[];
  };
}
