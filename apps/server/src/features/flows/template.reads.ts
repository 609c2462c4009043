import { parseTemplate, type Template, templateFromNames } from '@waymark/template';
import { createBoundedMap } from '../../platform/bounded-map.ts';
import type { Db } from '../../platform/db/db.ts';

export interface PinnedTemplate {
  readonly id: string;
  readonly content: string | readonly string[];
  readonly template: Template;
}

const CACHE_SIZE = 2_000;

/** The content makes the id, so what is known never changes. */
const known = createBoundedMap<PinnedTemplate>(CACHE_SIZE);

export async function readTemplates(
  db: Db,
  org: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PinnedTemplate>> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, PinnedTemplate>();
  for (const id of wanted) {
    const pinned = known.get(`${org} ${id}`);
    if (pinned) found.set(id, pinned);
  }
  const missing = wanted.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  const rows = await db
    .selectFrom('flow_template')
    .select(['id', 'content', 'names'])
    .where('org_id', '=', org)
    .where('id', 'in', missing)
    .execute();
  for (const { id, content, names } of rows) {
    const pinned = { id, content: names ?? content ?? '', template: parse(content, names) };
    found.set(id, pinned);
    known.set(`${org} ${id}`, pinned);
  }
  return found;
}

export async function readTemplate(db: Db, org: string, id: string): Promise<PinnedTemplate> {
  const pinned = (await readTemplates(db, org, [id])).get(id);
  if (!pinned) throw new Error(`template ${id} is pinned but not stored`);
  return pinned;
}

/** It was valid when it was accepted. */
function parse(content: string | null, names: readonly string[] | null): Template {
  const parsed = names ? templateFromNames(names) : parseTemplate(content ?? '');
  if (!parsed.ok) throw new Error('a stored template cannot be read any more');
  return parsed.template;
}
