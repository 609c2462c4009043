import { sql } from 'kysely';
import type { Db } from '../src/platform/db/db.ts';

/** Tables found before the org of a request is known. */
export const REGION_TABLES = [
  'org',
  'user_account',
  'api_key',
  'invitation',
  'used_token',
  'sign_in_attempt',
  'session',
  'mail',
  'sign_in_link',
  'set_up_link',
  'confirmation_count',
];

/** Tables of the engine itself: positions over all orgs, and what libraries keep. */
export const ENGINE_TABLES = [
  'relay_cursor',
  'processor_position',
  'worker',
  'server',
  'kysely_migration',
  'kysely_migration_lock',
];

/** Every other table belongs to an org. */
export async function orgTablesOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(db);
  const others = new Set([...REGION_TABLES, ...ENGINE_TABLES]);
  return rows.map((row) => row.name).filter((name) => !others.has(name));
}

/** The query, if it touches an org's table and does not name `org_id`. */
export function queryWithoutOrg(text: string, orgTables: readonly string[]): string | undefined {
  // Most queries end here, and this looks at every one of every test.
  if (/\borg_id\b/.test(text) || !/\b(from|join|into|update)\b/i.test(text)) return undefined;
  const used = orgTables.some((table) =>
    new RegExp(`\\b(from|join|into|update)\\s+"?${table}"?(?![\\w.])`, 'i').test(text),
  );
  return used ? text : undefined;
}
