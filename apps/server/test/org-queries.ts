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

/** Tables of the engine itself, over all orgs. */
export const ENGINE_TABLES = [
  'sequencer',
  'sealer',
  'region_log',
  'region_leaf',
  'region_tile',
  'region_checkpoint',
  'region_check',
  'witness',
  'checkpoint_cosignature',
  'time_stamp',
  'time_stamping',
  'journal_gap',
  'journal_tick',
  'lane_head',
  'event_cursor',
  'processor_position',
  'worker',
  'server',
  'scheduled_task',
  'migration',
];

/** Every other table belongs to an org. */
export async function orgTablesOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(db);
  const others = new Set([...REGION_TABLES, ...ENGINE_TABLES]);
  return rows.map((row) => row.name).filter((name) => !others.has(name));
}

/** Returns a query that reads or writes an org's table without naming its `org_id`, and undefined for all others. */
export type OrgCheck = (text: string) => string | undefined;

/** What can follow the name of a table and is no alias. */
const NO_ALIAS =
  'as|cross|default|except|for|full|group|having|inner|intersect|join|left|limit|natural|offset|on|order|overriding|returning|right|select|set|union|using|values|where|window';

/** Of an insert. One without them copies whole rows, and so the org. */
const COLUMNS = String.raw`\s+\w+(?:\s+as\s+\w+)?\s*\(`;

/**
 * Wants a mention of `org_id` for each time that a query uses a table of an org: one with the name of the table, or its
 * alias, in front, or one that stands alone. So a join that forgets the org is found even where another table of the
 * query names it. Which table a mention that stands alone belongs to cannot be told from the text.
 */
export function createOrgCheck(orgTables: readonly string[]): OrgCheck {
  const reference = new RegExp(
    `\\b(?:from|join|update|using|into(?=${COLUMNS}))\\s+(${orgTables.join('|')})(?![\\w.(])(?:\\s+as\\s+(\\w+)|\\s+(?!(?:${NO_ALIAS})\\b)(\\w+))?`,
    'gi',
  );
  /** The same text comes often, and this looks at every query of every test. */
  const known = new Map<string, boolean>();

  function namesEach(text: string): boolean {
    const bare = text.replaceAll('"', '');
    const names = Array.from(bare.matchAll(reference), ([, table = '', alias, short]) => alias ?? short ?? table);
    if (names.length === 0) return true;
    const alone = count(bare, /(?<![\w.])org_id\b/g) + count(bare, /\busing \(org_id\b/g);
    const lacking = [...new Set(names)].map((name) => {
      const used = names.filter((other) => other === name).length;
      return Math.max(0, used - count(bare, new RegExp(`\\b${name}\\.org_id\\b`, 'g')));
    });
    return lacking.reduce((sum, one) => sum + one, 0) <= alone;
  }

  return (text) => {
    const isFine = known.get(text) ?? namesEach(text);
    known.set(text, isFine);
    return isFine ? undefined : text;
  };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
