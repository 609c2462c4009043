import type { ReadableEntry, RecordTable } from './record-kind.ts';
import type { RecordedRows } from './recorded-rows.ts';

/** Tags of one kind of subject. */
export function tagsOf(kind: string): RecordTable {
  return {
    table: 'tag',
    of: 'subject_id',
    key: ['subject_kind', 'subject_id', 'key'],
    where: `subject_kind = '${kind}'`,
  };
}

export function foldTags({ payload, ...entry }: ReadableEntry, rows: RecordedRows): void {
  const { set, removed } = payload as { set: Record<string, string>; removed: string[] };
  const keyOf = (key: string) => `${entry.kind} ${entry.subject} ${key}`;
  for (const [key, value] of Object.entries(set)) rows.put(entry, 'tag', keyOf(key), { value });
  for (const key of removed) rows.remove('tag', keyOf(key));
}
