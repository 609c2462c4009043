import { Policy } from '@waymark/contract';
import { cellTime } from '../../platform/export/csv.ts';
import type { Exported } from '../../platform/export/handle-export.ts';

/** The text of a policy is in JSON only. */
export const EXPORTED_POLICIES: Exported<typeof Policy> = {
  item: Policy,
  what: 'policies',
  columns: {
    name: ({ name }) => name,
    description: ({ description }) => description,
    archived: ({ archived }) => archived,
    version: ({ versions }) => versions.at(-1)?.version ?? null,
    comment: ({ versions }) => versions.at(-1)?.comment ?? null,
    environments: ({ consuming_envs }) => consuming_envs,
    report_only_environments: ({ report_only_envs }) => report_only_envs,
    created_at: ({ created_at }) => cellTime(created_at),
    created_by: ({ created_by }) => created_by,
    last_modified_at: ({ last_modified_at }) => cellTime(last_modified_at),
  },
};
