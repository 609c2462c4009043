import { jsonText, named } from './expected.ts';
import type { ReadableEntry, RecordKind } from './record-kind.ts';
import type { Columns } from './recorded-rows.ts';

interface Change {
  readonly flow: string;
  readonly name: string;
  readonly template_id: string;
  readonly auto_created?: boolean;
  readonly changes?: readonly string[];
  readonly content: {
    readonly description?: string;
    readonly user_data?: unknown;
    readonly git_commit_info?: { readonly sha1: string; readonly branch?: string | null };
    readonly external_urls?: unknown;
    readonly origin_url?: string;
  };
}

export const trails: RecordKind = {
  kind: 'trail',
  tables: [
    { table: 'trail', of: 'id', key: ['id'] },
    { table: 'trail_event', of: 'trail_id', key: ['trail_id', '#'], numberedBy: 'receipt' },
  ],
  fold(entry, rows) {
    const { flow, name, template_id, auto_created = false, changes = [], content } = changeIn(entry);
    const isNew = entry.type === 'trail.begun';
    rows.put(entry, 'trail', entry.subject, {
      ...(isNew && {
        ...{ description: '', user_data: null, git_commit_info: null, commit_sha: null, branch: null },
        ...{ external_urls: null, origin_url: null },
        ...{ flow_id: named(flow), name, auto_created, created_at: entry.at, created_by: entry.actorName },
      }),
      ...columnsOf(content),
      template_id,
      revision: entry.subjectSeq,
      last_modified_at: entry.at,
    });
    rows.put(entry, 'trail_event', `${entry.subject} ${entry.subjectSeq}`, {
      type: isNew ? 'trail_reported' : 'trail_updated',
      changes,
      created_at: entry.at,
      created_by: entry.actorName,
    });
  },
};

function changeIn({ payload }: ReadableEntry): Change {
  return payload as unknown as Change;
}

function columnsOf({ description, user_data, git_commit_info, external_urls, origin_url }: Change['content']): Columns {
  return {
    ...(description !== undefined && { description }),
    ...(user_data !== undefined && { user_data: jsonText(user_data) }),
    ...(git_commit_info && {
      git_commit_info: jsonText(git_commit_info),
      commit_sha: git_commit_info.sha1,
      branch: git_commit_info.branch ?? null,
    }),
    ...(external_urls !== undefined && { external_urls: jsonText(external_urls) }),
    ...(origin_url !== undefined && { origin_url }),
  };
}
