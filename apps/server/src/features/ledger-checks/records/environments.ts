import { seconds } from './expected.ts';
import type { ReadableEntry, RecordKind } from './record-kind.ts';
import type { Columns, RecordedRows } from './recorded-rows.ts';
import { foldTags, tagsOf } from './tags.ts';

interface Waiver {
  readonly id: string;
  readonly fingerprint: string;
  readonly name: string;
  readonly reason: string;
  readonly expires_at: number | null;
  readonly replaces?: string | null;
}

interface Members {
  readonly added: readonly { readonly id: string }[];
  readonly removed: readonly { readonly id: string }[];
}

/** What is set about environments. What runs there is in `snapshots.ts`. */
export const environments: RecordKind = {
  kind: 'environment',
  tables: [
    { table: 'environment', of: 'id', key: ['id'] },
    { table: 'environment_alias', of: 'environment_id', key: ['name', 'environment_id'] },
    { table: 'environment_member', of: 'logical_id', key: ['logical_id', 'physical_id'] },
    { table: 'environment_policy', of: 'environment_id', key: ['environment_id', 'policy_id'] },
    { table: 'report_only_policy', of: 'environment_id', key: ['environment_id', 'policy_id'] },
    { table: 'waiver', of: 'environment_id', key: ['id'] },
    tagsOf('environment'),
  ],
  without: ['snapshot.recorded', 'environment.scaled', 'environment.evidence_expiring'],
  fold(entry, rows) {
    const put = (columns: Columns) => rows.put(entry, 'environment', entry.subject, columns);
    const modify = (columns: Columns) => put({ ...columns, last_modified_at: entry.at });
    switch (entry.type) {
      case 'environment.created':
        return modify({
          ...settingsOf(entry),
          created_at: entry.at,
          created_by: entry.actorName,
          archived_at: null,
        });
      case 'environment.updated':
        return modify(settingsOf(entry));
      case 'environment.renamed':
        return rename(entry, rows, modify);
      case 'environment.archived':
        for (const key of [...rows.keys('environment_alias')])
          if (key.endsWith(` ${entry.subject}`)) rows.remove('environment_alias', key);
        return modify({ archived_at: entry.at });
      case 'environment.tagged':
        foldTags(entry, rows);
        return modify({});
      case 'environment.members_changed':
        changeMembers(entry, rows);
        return modify({});
      case 'policy.attached':
        attach(entry, rows, 'environment_policy');
        return modify({});
      case 'policy.detached':
        detach(entry, rows, 'environment_policy');
        return modify({});
      case 'policy.report_only_attached':
        attach(entry, rows, 'report_only_policy');
        return modify({});
      case 'policy.report_only_detached':
      case 'policy.promoted':
        detach(entry, rows, 'report_only_policy');
        return modify({});
      case 'allow_list.added':
        return grant(entry, rows);
      case 'allow_list.withdrawn':
        return endWaiver(entry, rows, waiverIn(entry).id, 'withdrawn');
      case 'allow_list.expired':
        return endWaiver(entry, rows, waiverIn(entry).id, 'expired');
    }
  },
};

function settingsOf({ payload }: ReadableEntry): Columns {
  return payload as Columns;
}

function rename(entry: ReadableEntry, rows: RecordedRows, modify: (columns: Columns) => void): void {
  const { from, to } = entry.payload as { from: string; to: string };
  rows.remove('environment_alias', `${to} ${entry.subject}`);
  rows.put(entry, 'environment_alias', `${from} ${entry.subject}`, {});
  rows.allowGone('environment_alias', `${from} ${entry.subject}`);
  modify({ name: to });
}

function changeMembers(entry: ReadableEntry, rows: RecordedRows): void {
  const { added, removed } = entry.payload as unknown as Members;
  for (const { id } of removed) rows.remove('environment_member', `${entry.subject} ${id}`);
  for (const { id } of added) rows.put(entry, 'environment_member', `${entry.subject} ${id}`, {});
}

interface Policies {
  readonly policies: readonly { readonly id: string }[];
}

type AttachmentTable = 'environment_policy' | 'report_only_policy';

function attach(entry: ReadableEntry, rows: RecordedRows, table: AttachmentTable): void {
  for (const { id } of (entry.payload as unknown as Policies).policies)
    rows.put(entry, table, `${entry.subject} ${id}`, {
      attached_at: entry.at,
      attached_by: entry.actorName,
    });
}

function detach(entry: ReadableEntry, rows: RecordedRows, table: AttachmentTable): void {
  for (const { id } of (entry.payload as unknown as Policies).policies) rows.remove(table, `${entry.subject} ${id}`);
}

function waiverIn({ payload }: ReadableEntry): Waiver {
  return payload as unknown as Waiver;
}

function grant(entry: ReadableEntry, rows: RecordedRows): void {
  const { id, fingerprint, name, reason, expires_at, replaces } = waiverIn(entry);
  if (replaces) endWaiver(entry, rows, replaces, 'replaced');
  rows.put(entry, 'waiver', id, {
    environment_id: entry.subject,
    fingerprint,
    artifact_name: name,
    description: reason,
    created_at: entry.at,
    created_by: entry.actorName,
    expires_at: seconds(expires_at),
    ended_at: null,
    ended_by: null,
    end_reason: null,
  });
}

function endWaiver(entry: ReadableEntry, rows: RecordedRows, id: string, end_reason: string): void {
  rows.put(entry, 'waiver', id, { ended_at: entry.at, ended_by: entry.actorName, end_reason });
}
