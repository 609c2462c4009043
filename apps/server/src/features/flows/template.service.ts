import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';

/** A template as a flow has it: YAML text, or the deprecated list of names. */
export interface TemplateSource {
  readonly template: string | null;
  readonly template_names: readonly string[] | null;
}

/** Stores a template for the trails that pin it, once per org, and returns its id. */
export async function pinTemplate(db: Db, org: string, source: TemplateSource): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with pinned as materialized (
      select flow_template_id(${source.template}::text, ${source.template_names}::text[]) as id
    ), stored as (
      insert into flow_template (org_id, id, content, names)
      select ${org}, id, ${source.template}, ${source.template_names}::text[] from pinned
      on conflict (org_id, id) do nothing
    )
    select id from pinned`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('a template was pinned without an id');
  return row.id;
}
