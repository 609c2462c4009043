import { parseTemplate, type Template, templateFromNames } from '@waymark/template';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../platform/db/db.ts';
import { inSlices } from '../../platform/slices.ts';

export interface PinnedTemplate {
  readonly id: string;
  readonly content: string | readonly string[];
  readonly template: Template;
}

const CACHE_SIZE = 2_000;

/** The id is derived from the content, so a cached template never changes. */
const known = new LRUCache<string, PinnedTemplate>({ max: CACHE_SIZE });

export async function readTemplates(
  db: Db,
  org: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PinnedTemplate>> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, PinnedTemplate>();
  for (const id of wanted) {
    const template = known.get(`${org} ${id}`);
    if (template) found.set(id, template);
  }
  const missing = wanted.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  const rows = await db
    .selectFrom('flow_template')
    .select(['id', 'content', 'names'])
    .where('org_id', '=', org)
    .where('id', 'in', missing)
    .execute();
  await inSlices({ db, org }, pinEach(org, rows, found));
  return found;
}

interface TemplateRow {
  readonly id: string;
  readonly content: string | null;
  readonly names: readonly string[] | null;
}

function* pinEach(
  org: string,
  rows: readonly TemplateRow[],
  found: Map<string, PinnedTemplate>,
): Generator<void, void> {
  for (const { id, content, names } of rows) {
    found.set(id, pinned(org, id, content, names));
    yield;
  }
}

function pinned(org: string, id: string, content: string | null, names: readonly string[] | null): PinnedTemplate {
  const key = `${org} ${id}`;
  const template = known.get(key) ?? { id, content: names ?? content ?? '', template: parse(content, names) };
  known.set(key, template);
  return template;
}

export async function readTemplate(db: Db, org: string, id: string): Promise<PinnedTemplate> {
  const template = (await readTemplates(db, org, [id])).get(id);
  if (!template) throw new Error(`template ${id} is pinned but not stored`);
  return template;
}

/** Returns the template that a trail of the flow would begin with, under the id it would have when pinned. */
export async function readFlowTemplate(db: Db, org: string, flowId: string): Promise<PinnedTemplate | undefined> {
  const row = await db
    .selectFrom('flow')
    .select((flow) => [
      flow.fn<string>('flow_template_id', ['template', 'template_names']).as('id'),
      'template',
      'template_names',
    ])
    .where('org_id', '=', org)
    .where('id', '=', flowId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, template, template_names: names } = row;
  return pinned(org, id, template, names);
}

/** It was validated when it was accepted. */
function parse(content: string | null, names: readonly string[] | null): Template {
  const parsed = names ? templateFromNames(names) : parseTemplate(content ?? '');
  if (!parsed.ok) throw new Error('a stored template cannot be read any more');
  return parsed.template;
}
