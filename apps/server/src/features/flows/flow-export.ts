import { Flow } from '@waymark/contract';
import { cellTime } from '../../platform/export/csv.ts';
import type { Exported } from '../../platform/export/handle-export.ts';

export const EXPORTED_FLOWS: Exported<typeof Flow> = {
  item: Flow,
  what: 'flows',
  columns: {
    name: ({ name }) => name,
    description: ({ description }) => description,
    tags: ({ tags }) => tags,
    visibility: ({ visibility }) => visibility,
    repo_url: ({ repo_url }) => repo_url,
    created_at: ({ created_at }) => cellTime(created_at),
    created_by: ({ created_by }) => created_by,
    last_modified_at: ({ last_modified_at }) => cellTime(last_modified_at),
    latest_activity_at: ({ latest_activity_at }) => cellTime(latest_activity_at),
    last_deployment_at: ({ last_deployment_at }) => cellTime(last_deployment_at),
    auto_created: ({ auto_created }) => auto_created,
    html_url: ({ html_url }) => html_url,
  },
};
