import { Environment } from '@waymark/contract';
import { cellTime } from '../../platform/export/csv.ts';
import type { Exported } from '../../platform/export/handle-export.ts';

export const EXPORTED_ENVIRONMENTS: Exported<typeof Environment> = {
  item: Environment,
  what: 'environments',
  columns: {
    name: ({ name }) => name,
    type: ({ type }) => type,
    description: ({ description }) => description,
    compliance: ({ compliance }) => compliance,
    stale: ({ stale }) => stale,
    stale_since: ({ stale_since }) => cellTime(stale_since),
    policies: ({ policies }) => policies,
    included_environments: ({ included_environments }) => included_environments,
    tags: ({ tags }) => tags,
    latest_snapshot_index: ({ latest_snapshot_index }) => latest_snapshot_index,
    last_changed_at: ({ last_changed_at }) => cellTime(last_changed_at),
    last_reported_at: ({ last_reported_at }) => cellTime(last_reported_at),
    created_at: ({ created_at }) => cellTime(created_at),
    created_by: ({ created_by }) => created_by,
    last_modified_at: ({ last_modified_at }) => cellTime(last_modified_at),
    html_url: ({ html_url }) => html_url,
  },
};
