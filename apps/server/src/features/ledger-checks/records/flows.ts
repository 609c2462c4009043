import type { ReadableEntry, RecordKind } from './record-kind.ts';
import type { Columns, RecordedRows } from './recorded-rows.ts';
import { foldTags, tagsOf } from './tags.ts';

interface FlowChange {
  readonly name: string;
  readonly description?: string;
  readonly visibility?: string;
  readonly template?: string | readonly string[];
  readonly repo_url?: string;
}

const EMPTY_TEMPLATE = 'version: 1\n';

const DEFAULTS = { description: '', visibility: 'private', template: EMPTY_TEMPLATE, repo_url: '' };

export const flows: RecordKind = {
  kind: 'flow',
  tables: [
    { table: 'flow', of: 'id', key: ['id'] },
    { table: 'flow_alias', of: 'flow_id', key: ['name', 'flow_id'] },
    tagsOf('flow'),
  ],
  fold(entry, rows) {
    const put = (columns: Columns) =>
      rows.put(entry, 'flow', entry.subject, {
        ...columns,
        revision: entry.subjectSeq,
        last_modified_at: entry.at,
      });
    switch (entry.type) {
      case 'flow.created':
        return put({ ...born(entry), ...columnsOf({ ...DEFAULTS, ...change(entry) }), auto_created: false });
      case 'flow.auto_created':
        return put({ ...born(entry), ...columnsOf({ ...DEFAULTS, ...change(entry) }), auto_created: true });
      case 'flow.updated':
        return put({ ...columnsOf(change(entry)), auto_created: false });
      case 'flow.renamed':
        return rename(entry, rows, put);
      case 'flow.archived':
        for (const key of [...rows.keys('flow_alias')])
          if (key.endsWith(` ${entry.subject}`)) rows.remove('flow_alias', key);
        return put({ archived_at: entry.at });
      case 'flow.tagged':
        foldTags(entry, rows);
        return put({});
    }
  },
};

function change({ payload }: ReadableEntry): FlowChange {
  return payload as unknown as FlowChange;
}

function born({ at, actorName }: ReadableEntry): Columns {
  return { created_at: at, created_by: actorName, archived_at: null };
}

function columnsOf({ name, description, visibility, template, repo_url }: FlowChange): Columns {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(visibility !== undefined && { visibility }),
    ...(repo_url !== undefined && { repo_url }),
    ...(template !== undefined && {
      template: typeof template === 'string' ? template : null,
      template_names: typeof template === 'string' ? null : template,
    }),
  };
}

/** Another flow that takes an old name takes it from here. */
function rename(entry: ReadableEntry, rows: RecordedRows, put: (columns: Columns) => void): void {
  const { from, to } = entry.payload as { from: string; to: string };
  rows.remove('flow_alias', `${to} ${entry.subject}`);
  rows.put(entry, 'flow_alias', `${from} ${entry.subject}`, {});
  rows.allowGone('flow_alias', `${from} ${entry.subject}`);
  put({ name: to });
}
