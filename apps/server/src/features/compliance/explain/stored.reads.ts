import type { ArtifactEvidence, Judged, ToExplain } from '@waymark/policy';
import type { Ctx } from '../../../platform/ctx.ts';
import { statement } from '../../../platform/db/statement.ts';
import { requireStored } from '../../../platform/stored-json.ts';
import { epochSeconds } from '../../../platform/time.ts';
import type { EnvironmentRow } from '../../environments/environment.reads.ts';
import { parseCached } from '../../policies/parsed-policy.reads.ts';
import { type RunAt, readRunsAt, type SnapshotRow } from '../../snapshots/read/snapshot.reads.ts';
import { type ArtifactFixes, artifactFixes } from './actions.ts';
import type { EnvironmentVerdict } from './explain-environment.ts';
import { findSinceIn, readRunHistory, readTimes } from './history.reads.ts';
import { shownRuns } from './shown-runs.ts';
import { readWaivers } from './waiver.reads.ts';

/** Reads the decisions made for a snapshot. Fails on a damaged row: a tree without it would give wrong reasons. */
export async function readStored(
  ctx: Ctx,
  environment: EnvironmentRow,
  snapshot: SnapshotRow,
  isAll: boolean,
): Promise<EnvironmentVerdict> {
  const { index, compliance } = snapshot;
  const runs = (await readRunsAt(ctx, environment, index)).filter((run) => !run.hasExited);
  const applied = requireStored<{ name: string }[]>('policy_set', snapshot.policy_set_id ?? '', snapshot.policies);
  const shown = shownRuns(runs, applied.length, isAll);
  const nos = shown.map((run) => run.no);
  const history = await readRunHistory(ctx, environment.id, index, nos);
  const sinceIn = await findSinceIn(ctx, environment.id, index, compliance);
  const timeOf = await readTimes(ctx, environment.id, [...Array.from(history.values(), (run) => run.sinceIn), sinceIn]);
  const recorded = [...history.values()];
  const waivers = await readWaivers(
    ctx,
    recorded.flatMap(({ waiverId }) => waiverId ?? []),
  );
  const decisionsOf = await readDecisions(ctx, shown);
  const failing = runs.filter((run) => run.compliance === 'non-compliant');
  return {
    ...{ name: environment.name, snapshotIndex: index, isStored: true, isStale: false, compliance, runs },
    policies: applied.map(({ name }) => name),
    shown: shown.map((run) => {
      const its = history.get(run.no);
      return {
        ...{ name: run.name, fingerprint: run.fingerprint, compliance: run.compliance },
        decisions: decisionsOf(run),
        waiver: waivers.get(its?.waiverId ?? '') ?? null,
        since: its ? timeOf(its.sinceIn) : null,
      };
    }),
    fixes: await readFixes(ctx, failing, applied.length),
    times: { judgedAt: epochSeconds(snapshot.created_at), since: timeOf(sinceIn), sinceIn },
  };
}

/** Bounds the decisions in memory. */
const MAX_DECISIONS = 2_000;

const listComplaints = statement<
  { org_id: string; ids: readonly string[] },
  Pick<DecisionRow, 'id' | 'shown' | 'reasons'>
>(
  'list_broken_decisions',
  `select id, shown, reasons from decision
   where org_id = :org_id and id = any(:ids::uuid[]) and status = 'NON-COMPLIANT'`,
);

async function readFixes(ctx: Ctx, runs: readonly RunAt[], policyCount: number): Promise<ArtifactFixes[]> {
  const fixes: ArtifactFixes[] = [];
  const batchSize = Math.max(1, Math.floor(MAX_DECISIONS / Math.max(1, policyCount)));
  for (let at = 0; at < runs.length; at += batchSize) {
    const some = runs.slice(at, at + batchSize);
    const ids = [...new Set(some.flatMap((run) => run.decisionIds))];
    const rows = await listComplaints(ctx.db, { org_id: ctx.org, ids });
    const judged = new Map(rows.map((row) => [row.id, toJudged(row)]));
    fixes.push(
      ...some.map((run) =>
        artifactFixes(
          run,
          run.decisionIds.flatMap((id) => judged.get(id) ?? []),
        ),
      ),
    );
  }
  return fixes;
}

interface DecisionRow {
  readonly id: string;
  readonly evidence_id: string;
  readonly shown: string;
  readonly reasons: string;
  readonly policy_yaml: string;
}

const listDecisions = statement<{ org_id: string; ids: readonly string[] }, DecisionRow>(
  'list_decisions_explained',
  `select decision.id, decision.evidence_id, decision.shown, decision.reasons, policy_version.policy_yaml
   from decision
   join policy_version on policy_version.org_id = decision.org_id and policy_version.policy_id = decision.policy_id
     and policy_version.version = decision.policy_version
   where decision.org_id = :org_id and decision.id = any(:ids::uuid[])`,
);

const listStates = statement<{ org_id: string; ids: readonly string[] }, { id: string; content: string }>(
  'list_evidence_states',
  'select state.id, state.content from evidence_state as state where state.org_id = :org_id and state.id = any(:ids::uuid[])',
);

async function readDecisions(ctx: Ctx, runs: readonly RunAt[]): Promise<(run: RunAt) => ToExplain[]> {
  const ids = [...new Set(runs.flatMap((run) => run.decisionIds))];
  if (ids.length === 0) return () => [];
  const rows = await listDecisions(ctx.db, { org_id: ctx.org, ids });
  const states = await listStates(ctx.db, {
    org_id: ctx.org,
    ids: [...new Set(rows.map((row) => row.evidence_id))],
  });
  const evidenceOf = new Map(
    states.map(({ id, content }) => [id, requireStored<ArtifactEvidence>('evidence_state', id, content)]),
  );
  const decisions = new Map(
    rows.flatMap((row) => {
      const evidence = evidenceOf.get(row.evidence_id);
      return evidence ? [[row.id, toExplained(row, evidence)] as const] : [];
    }),
  );
  return (run) => run.decisionIds.flatMap((id) => decisions.get(id) ?? []);
}

interface Shown {
  readonly policy_name: string;
  readonly policy_version: number;
  readonly status: Judged['status'];
  readonly rule_evaluations: Judged['ruleEvaluations'];
}

function toExplained(row: DecisionRow, evidence: ArtifactEvidence): ToExplain {
  return { policy: parseCached(row.policy_yaml), evidence, ...toJudged(row) };
}

function toJudged(row: Pick<DecisionRow, 'id' | 'shown' | 'reasons'>): Pick<ToExplain, 'identity' | 'judged'> {
  const shown = requireStored<Shown>('decision', row.id, row.shown);
  const reasons = requireStored<Judged['reasons']>('decision', row.id, row.reasons);
  return {
    identity: { name: shown.policy_name, version: shown.policy_version },
    judged: { status: shown.status, ruleEvaluations: shown.rule_evaluations, reasons },
  };
}
