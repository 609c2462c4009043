import { jsonText } from './expected.ts';
import type { ReadableEntry, RecordKind } from './record-kind.ts';
import type { Columns, RecordedRows } from './recorded-rows.ts';
import { foldTags, tagsOf } from './tags.ts';

interface Content {
  readonly identifier: string;
  readonly version: number;
  readonly name?: string;
  readonly description?: string;
  readonly links?: Record<string, string>;
}

const KINDS: Readonly<Record<string, string>> = {
  'control.created': 'Created',
  'control.edited': 'Edited',
  'control.archived': 'Archived',
  'control.unarchived': 'Unarchived',
};

export const controls: RecordKind = {
  kind: 'control',
  tables: [
    { table: 'control', of: 'id', key: ['id'] },
    { table: 'control_version', of: 'control_id', key: ['control_id', 'version'] },
    tagsOf('control'),
  ],
  fold(entry, rows) {
    const put = (columns: Columns) =>
      rows.put(entry, 'control', entry.subject, { ...columns, revision: entry.subjectSeq });
    if (entry.type === 'control.tagged') {
      foldTags(entry, rows);
      return put({});
    }
    if (!(entry.type in KINDS)) return;
    put(changeOf(entry));
    addVersion(entry, rows);
  },
};

function changeOf({ type, payload, at, actorName }: ReadableEntry): Columns {
  const { identifier, version, name, description, links } = payload as unknown as Content;
  return {
    identifier,
    version,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(links !== undefined && { links: jsonText(links) }),
    ...(type === 'control.created' && { created_at: at, created_by: actorName, archived_at: null }),
    ...(type === 'control.archived' && { archived_at: at }),
    ...(type === 'control.unarchived' && { archived_at: null }),
  };
}

/** A version repeats what the control is after the change. */
function addVersion(entry: ReadableEntry, rows: RecordedRows): void {
  const { version } = entry.payload as unknown as Content;
  const after = rows.rows('control').get(entry.subject)?.columns;
  const same = ['name', 'description', 'links'].flatMap((name) => {
    const column = after?.get(name);
    return column ? [[name, column.value] as const] : [];
  });
  rows.put(entry, 'control_version', `${entry.subject} ${version}`, {
    ...Object.fromEntries(same),
    kind: KINDS[entry.type] ?? '',
    created_at: entry.at,
    created_by: entry.actorName,
  });
}
