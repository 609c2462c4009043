import type { AnnotationType } from '@waymark/contract';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import type { RunAt } from './snapshot.reads.ts';

/** Returns what happened to a run in a snapshot. Waived counts as compliant. */
export function annotationOf(
  run: Pick<RunAt, 'startedIn' | 'hasExited' | 'compliance' | 'changed'>,
  index: number,
): AnnotationType {
  if (run.hasExited) return 'exited';
  const compliance = counted(run.compliance);
  if (run.startedIn === index) return `started-${compliance}`;
  if (!run.changed) return 'unchanged';
  if (compliance !== 'unknown' && compliance !== counted(run.changed.from)) return `became-${compliance}`;
  return run.changed.cause === 'provenance' ? 'updated-provenance' : 'unchanged';
}

function counted(compliance: RunCompliance): Exclude<RunCompliance, 'waived'> {
  return compliance === 'waived' ? 'compliant' : compliance;
}
