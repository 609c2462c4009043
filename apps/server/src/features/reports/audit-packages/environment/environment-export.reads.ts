import type { Ctx } from '../../../../platform/ctx.ts';
import { readEnvironment } from '../../../environments/environment.reads.ts';
import { findRunInterval, type RunInterval } from '../../../snapshots/read/run-intervals.reads.ts';
import { requirePhysical } from '../../../snapshots/read/snapshot.reads.ts';
import { listWaiversIn, readPolicySets } from '../../printed/period.reads.ts';
import type { Period } from '../../printed/period.ts';
import type { PackageSubject } from '../ledger-subjects.reads.ts';
import * as reads from './environment-scope.reads.ts';

const MAX_WAIVERS = 10_000;

/** Everything that an environment package contains, as of one moment. */
export type EnvironmentExport = Awaited<ReturnType<typeof readExport>>;

export async function readExport(ctx: Ctx, name: string, period: Period) {
  const environment = await readEnvironment(ctx, name);
  await requirePhysical(ctx, environment, 'env_name');
  const interval = await findRunInterval(ctx.db, ctx.org, environment.id, period);
  const { snapshots, verdicts, exits } = await readRuns(ctx, interval);
  const waivers = await listWaiversIn(ctx, environment.id, period, MAX_WAIVERS + 1);
  if (waivers.length > MAX_WAIVERS) throw reads.tooMuch(`${MAX_WAIVERS} waivers`);
  const decisionIds = [...new Set(verdicts.flatMap(({ decision_ids }) => decision_ids))].sort();
  const evidenceIds = [...new Set(verdicts.flatMap(({ evidence_id }) => evidence_id ?? []))].sort();
  const policies = await reads.listPolicyTexts(ctx, decisionIds);
  const setIds = [...new Set(snapshots.flatMap(({ policy_set_id }) => policy_set_id ?? []))];
  const policySets = await readPolicySets(ctx, setIds);
  const named = await reads.listNamedEvidence(ctx, evidenceIds);
  if (environment.revision > reads.ENTRIES_MAX) throw reads.tooMuch(`${reads.ENTRIES_MAX} entries in the journal`);
  const subjects: PackageSubject[] = [
    { id: ctx.org, types: ['org.created'], path: 'manifest.json' },
    { id: environment.id, untilSeq: environment.revision, path: 'records/environment.json' },
    ...[...new Set(policies.map(({ policy_id }) => policy_id))].map((id) => {
      return { id, types: ['policy.versioned'], path: 'records/policies' };
    }),
    ...[...named.artifacts, ...named.attestations].map((id) => ({ id, path: 'records/evidence' })),
  ];
  return {
    ...{ environment, period, interval, snapshots, verdicts, exits, waivers, policies, policySets },
    ...{ decisionIds, evidenceIds, subjects, readingIds: [...named.readings].sort() },
  };
}

async function readRuns(ctx: Ctx, interval: RunInterval | undefined) {
  if (!interval) return { snapshots: [], verdicts: [], exits: [] };
  return {
    snapshots: await reads.listSnapshotsIn(ctx, interval),
    verdicts: await reads.listVerdictsIn(ctx, interval),
    exits: await reads.listExitsIn(ctx, interval),
  };
}
