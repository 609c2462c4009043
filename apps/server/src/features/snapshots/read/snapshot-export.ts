import { SnapshotSummary } from '@waymark/contract';
import { cellTime } from '../../../platform/export/csv.ts';
import type { Exported } from '../../../platform/export/handle-export.ts';

export const EXPORTED_SNAPSHOTS: Exported<typeof SnapshotSummary> = {
  item: SnapshotSummary,
  what: 'snapshots',
  columns: {
    snapshot: ({ index }) => index,
    from: ({ from }) => cellTime(from),
    // The latest has no end yet, which the API writes as 0.
    to: ({ to }) => cellTime(to === 0 ? null : to),
    duration_seconds: ({ duration }) => duration,
    compliance: ({ compliance }) => compliance,
    artifacts: ({ artifact_count }) => artifact_count,
    trigger: ({ trigger }) => trigger,
  },
};
