import { parsePolicy } from '@waymark/policy';
import { controlsOf, readsOf } from '../../policies/policy-text.service.ts';
import { jsonText, type Row } from './expected.ts';
import type { ReadableEntry, RecordKind } from './record-kind.ts';
import type { Columns, RecordedRows } from './recorded-rows.ts';

interface Version {
  readonly version: number;
  readonly comment: string;
  readonly policy_yaml: string;
}

/** Those about attachments repeat entries of environments. */
const OWN_EVENTS = `type in ('policy_created', 'policy_updated', 'policy_version_created', 'policy_archived')`;

export const policies: RecordKind = {
  kind: 'policy',
  tables: [
    { table: 'policy', of: 'id', key: ['id'] },
    { table: 'policy_version', of: 'policy_id', key: ['policy_id', 'version'], derive: deriveVersion },
    { table: 'policy_event', of: 'policy_id', key: ['policy_id', '#'], numberedBy: 'no', where: OWN_EVENTS },
  ],
  fold(entry, rows) {
    const { at, actorName } = entry;
    const put = (columns: Columns) => {
      const always = { revision: entry.subjectSeq, last_modified_at: at };
      rows.put(entry, 'policy', entry.subject, { ...columns, ...always });
    };
    const { name, description } = entry.payload as { name: string; description: string };
    switch (entry.type) {
      case 'policy.created':
        return put({ name, description, created_at: at, created_by: actorName, archived_at: null });
      case 'policy.updated':
        addEvent(entry, rows, 'policy_updated', { description });
        return put({ description });
      case 'policy.archived':
        addEvent(entry, rows, 'policy_archived', { version: versionOf(entry, rows) });
        return put({ archived_at: at });
      case 'policy.versioned': {
        const { version, comment, policy_yaml } = versionIn(entry);
        const text = { version, policy_yaml, comment, created_at: at, created_by: actorName };
        rows.put(entry, 'policy_version', `${entry.subject} ${version}`, text);
        addEvent(entry, rows, version === 1 ? 'policy_created' : 'policy_version_created', { version });
        return put({ version });
      }
    }
  },
};

function versionIn({ payload }: ReadableEntry): Version {
  return payload as unknown as Version;
}

function versionOf({ subject }: ReadableEntry, rows: RecordedRows): number {
  return Number(rows.rows('policy').get(subject)?.columns.get('version')?.value ?? 0);
}

/** The history of a policy. */
function addEvent(entry: ReadableEntry, rows: RecordedRows, type: string, data: object): void {
  const { subject, at, actorName } = entry;
  let number = 1;
  while (rows.rows('policy_event').has(`${subject} ${number}`)) number++;
  const columns = { type, data: jsonText(data), created_at: at, created_by: actorName };
  rows.put(entry, 'policy_event', `${subject} ${number}`, columns);
}

/** What is looked up of a text without reading it. */
function deriveVersion({ policy_yaml }: Row): Columns {
  const read = parsePolicy(String(policy_yaml));
  return 'problems' in read ? {} : { controls: controlsOf(read.policy), reads: readsOf(read.policy) };
}
