import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { contentId } from '../../../platform/ids.ts';
import type { OnDifference } from '../difference.ts';

/** Tables whose rows are named by their content, which is stored once and never changed. */
const NAMED_BY_CONTENT: readonly NamedByContent[] = [
  { table: 'evidence_state', id: 'id', type: 'uuid', is: ({ id, content }) => id === contentId(String(content)) },
  {
    table: 'decision',
    id: 'id',
    type: 'uuid',
    is: ({ id, policy_id, policy_version, evidence_id, engine, context }) =>
      id === contentId([policy_id, policy_version, evidence_id, engine, context].join(' ')),
  },
  { table: 'policy_set', id: 'id', type: 'uuid', is: ({ id, content }) => id === contentId(String(content)) },
  {
    table: 'trusted_root',
    id: 'sha256',
    type: 'text',
    is: ({ sha256, content }) => hash('sha256', String(content)) === sha256,
  },
  {
    table: 'reading',
    id: 'id',
    type: 'text',
    is: ({ id, content }) => hash('sha256', String(content)) === id,
  },
  { table: 'flow_template', id: 'id', type: 'uuid', is: ({ id, computed }) => id === computed },
];

interface NamedByContent {
  readonly table: string;
  readonly id: string;
  readonly type: 'uuid' | 'text';
  readonly is: (row: Readonly<Record<string, unknown>>) => boolean;
}

const PAGE = 500;

/** Compares what is named by its content with its name. */
export async function compareStoredContent(db: Db, org: string, onDifference: OnDifference): Promise<void> {
  for (const named of NAMED_BY_CONTENT) {
    const { table, id } = named;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: readonly Readonly<Record<string, unknown>>[] = await readPage(db, org, named, after);
      for (const row of rows) {
        if (named.is(row)) continue;
        const about = { org, table, row: String(row[id]), column: 'content', index: null };
        onDifference({ ...about, says: 'is not the content that the row is named by' });
      }
      after = rows.length < PAGE ? undefined : String(rows.at(-1)?.[id]);
    }
  }
}

async function readPage(db: Db, org: string, { table, id, type }: NamedByContent, after: string) {
  const computed = table === 'flow_template' ? sql`, flow_template_id(content, names) as computed` : sql``;
  const behind = after === '' ? sql`` : sql`and ${sql.id(id)} > ${after}::${sql.raw(type)}`;
  const { rows } = await sql<Record<string, unknown>>`
    select * ${computed} from ${sql.id(table)} where org_id = ${org} ${behind} order by ${sql.id(id)} limit ${PAGE}
  `.execute(db);
  return rows;
}
