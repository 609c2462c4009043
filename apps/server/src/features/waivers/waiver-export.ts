import { Waiver } from '@waymark/contract';
import { cellTime } from '../../platform/export/csv.ts';
import type { Exported } from '../../platform/export/handle-export.ts';

export const EXPORTED_WAIVERS: Exported<typeof Waiver> = {
  item: Waiver,
  what: 'waivers',
  columns: {
    artifact_name: ({ artifact_name }) => artifact_name,
    fingerprint: ({ fingerprint }) => fingerprint,
    environment_name: ({ environment_name }) => environment_name,
    reason: ({ description }) => description,
    granted_by: ({ user_name }) => user_name,
    granted_at: ({ timestamp }) => cellTime(timestamp),
    expires_at: ({ expires_at }) => cellTime(expires_at),
    ended_at: ({ ended_at }) => cellTime(ended_at),
    ended_by: ({ ended_by }) => ended_by,
    end_reason: ({ end_reason }) => end_reason,
    id: ({ id }) => id,
  },
};
