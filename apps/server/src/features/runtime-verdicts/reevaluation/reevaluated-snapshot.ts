import type { Ctx } from '../../../platform/ctx.ts';
import type { SnapshotTrigger } from '../../../platform/db/tables.ts';
import type { EnvironmentState, KnownRun } from '../../snapshots/record/current-runs.reads.ts';
import { type Past, withPast } from '../../snapshots/record/lineage.reads.ts';
import type {
  ReevaluatedRun,
  ReevaluatedSnapshot,
  SnapshotChange,
  SnapshotNews,
} from '../../snapshots/record/snapshot.service.ts';
import { type Applied, complianceOf } from '../applied.reads.ts';
import type { StoredVerdict } from '../judge-and-store.service.ts';
import type { RunVerdict } from '../judge-runs.service.ts';
import type { ChangedRun, Reevaluated } from './changed-runs.ts';
import type { ReevaluationCause } from './reevaluation-cause.ts';

/** Reads what the snapshot shows of the history of runs with new provenance. */
export async function readPast(
  ctx: Ctx,
  environmentId: string,
  changedRuns: readonly ChangedRun[],
): Promise<Map<ChangedRun, Past>> {
  const withNewProvenance = changedRuns.filter(({ hasNewProvenance }) => hasNewProvenance);
  const past = await withPast(
    ctx,
    environmentId,
    withNewProvenance.map(({ run, reports }) => ({
      name: run.name,
      fingerprint: run.fingerprint,
      no: run.no,
      reports,
    })),
  );
  return new Map(withNewProvenance.flatMap((changedRun, i) => (past[i] ? [[changedRun, past[i]] as const] : [])));
}

interface MadeSnapshot {
  readonly news: SnapshotNews;
  readonly snapshot: Omit<ReevaluatedSnapshot, 'createdAt'>;
}

/** The snapshot of an environment in which something has changed. */
export function toSnapshot(
  { state, applied, isRejudged }: Reevaluated,
  causes: readonly ReevaluationCause[],
  changedRuns: readonly ChangedRun[],
  past: ReadonlyMap<ChangedRun, Past>,
): MadeSnapshot {
  const runs = changedRuns.map((changedRun) => toReevaluatedRun(changedRun, past.get(changedRun)));
  const counts = countsAfter(state, applied, changedRuns);
  const index = state.snapshot_count + 1;
  const trigger = triggerOf(causes, isRejudged, changedRuns);
  const changes = changedRuns.flatMap(({ run, verdict, hasNewProvenance, reports }): SnapshotChange[] => {
    const { name, fingerprint } = run;
    const artifact_ids = reports.map((report) => report.id);
    return [
      hasNewProvenance ? [{ provenance_changed: { name, fingerprint, artifact_ids } }] : [],
      run.compliance === verdict.compliance
        ? []
        : [{ judged: { name, fingerprint, was: run.compliance, now: verdict.compliance } }],
    ].flat();
  });
  return {
    news: {
      environment: state,
      index,
      trigger,
      compliance: counts.compliance,
      policies: applied.policies,
      changes,
    },
    snapshot: {
      environmentId: state.id,
      index,
      trigger,
      ...counts,
      artifactCount: state.artifact_count,
      eventTotal: state.event_total + runs.filter(({ cause }) => cause !== 'restated').length,
      policySetId: applied.set?.id ?? null,
      runs,
    },
  };
}

function toReevaluatedRun(
  { run, verdict, hasNewProvenance, reports }: ChangedRun,
  past: Past | undefined,
): ReevaluatedRun {
  return {
    no: run.no,
    cause: hasNewProvenance ? 'provenance' : isEvent(run, verdict) ? 'verdict' : 'restated',
    compliance: verdict.compliance,
    artifactIds: hasNewProvenance ? reports.map((report) => report.id) : run.artifactIds,
    // The run under the same name remains the replaced one until one of the same lineage is found.
    replacedNo: past?.replacedNo ?? run.replacedNo,
    lineage: past?.lineage ?? null,
    evidenceId: verdict.evidenceId,
    decisionIds: verdict.decisionIds,
    waiverId: verdict.waiverId,
  };
}

/** Only a change to or from compliant is an event. */
function isEvent(run: KnownRun, verdict: StoredVerdict): boolean {
  const now = counted(verdict);
  return now !== 'unknown' && now !== counted(run);
}

function counted({ compliance }: Pick<RunVerdict, 'compliance'>) {
  return compliance === 'waived' ? 'compliant' : compliance;
}

function countsAfter(state: EnvironmentState, applied: Applied, changedRuns: readonly ChangedRun[]) {
  const change = (counts: 'compliant' | 'non-compliant') =>
    changedRuns.reduce((sum, { run, verdict }) => {
      return sum + Number(counted(verdict) === counts) - Number(counted(run) === counts);
    }, 0);
  const nonCompliantCount = state.non_compliant_count + change('non-compliant');
  return {
    compliantCount: state.compliant_count + change('compliant'),
    nonCompliantCount,
    compliance: complianceOf(applied, nonCompliantCount),
  };
}

function triggerOf(
  causes: readonly ReevaluationCause[],
  isRejudged: boolean,
  changedRuns: readonly ChangedRun[],
): SnapshotTrigger {
  if (isRejudged) return 'policy';
  if (changedRuns.some(({ hasNewProvenance }) => hasNewProvenance)) return 'provenance';
  return causes.find((cause) => cause !== 'provenance' && cause !== 'policy') ?? 'evidence';
}
