import { TRAIL_EXPORT_MAX, TrailSummary } from '@waymark/contract';
import { cellTime } from '../../platform/export/csv.ts';
import type { Exported } from '../../platform/export/handle-export.ts';

export const EXPORTED_TRAILS: Exported<typeof TrailSummary> = {
  item: TrailSummary,
  what: 'trails',
  most: TRAIL_EXPORT_MAX,
  columns: {
    name: ({ name }) => name,
    flow_name: ({ flow_name }) => flow_name,
    compliance_state: ({ compliance_state }) => compliance_state,
    is_compliant: ({ is_compliant }) => is_compliant,
    description: ({ description }) => description,
    git_commit: ({ git_commit_info }) => git_commit_info?.sha1 ?? null,
    branch: ({ git_commit_info }) => git_commit_info?.branch ?? null,
    author: ({ git_commit_info }) => git_commit_info?.author ?? null,
    message: ({ git_commit_info }) => git_commit_info?.message ?? null,
    created_at: ({ created_at }) => cellTime(created_at),
    created_by: ({ created_by }) => created_by,
    last_modified_at: ({ last_modified_at }) => cellTime(last_modified_at),
    html_url: ({ html_url }) => html_url,
  },
};
