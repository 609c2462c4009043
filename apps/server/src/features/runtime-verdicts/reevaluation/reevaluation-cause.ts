import type { SnapshotTrigger } from '../../../platform/db/tables.ts';

export type ReevaluationCause = Exclude<SnapshotTrigger, 'report'>;
