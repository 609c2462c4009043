import type { RecordKind } from './record-kind.ts';
import { foldTags, tagsOf } from './tags.ts';

/** What is known of a repository is in the evidence that named it. Only its tags are changed by themselves. */
export const repositories: RecordKind = {
  kind: 'repository',
  tables: [tagsOf('repository')],
  fold(entry, rows) {
    if (entry.type === 'repository.tagged') foldTags(entry, rows);
  },
};
