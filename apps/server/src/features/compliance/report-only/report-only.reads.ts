import { REPORT_ONLY_ARTIFACTS } from '@waymark/contract';
import type { Judged } from '@waymark/policy';
import type { Ctx } from '../../../platform/ctx.ts';
import { statement } from '../../../platform/db/statement.ts';
import { readEnvironment } from '../../environments/environment.reads.ts';
import { type ReportOnlyAttachment, readReportOnlyAttached } from '../../policies/report-only.reads.ts';
import { toApplied } from '../../runtime-verdicts/applied.reads.ts';
import { judgeUnder } from '../../runtime-verdicts/judge-now.reads.ts';
import type { RunVerdict } from '../../runtime-verdicts/judge-runs.service.ts';
import { requirePhysical } from '../../snapshots/read/snapshot.reads.ts';

interface RunNow {
  readonly name: string;
  readonly fingerprint: string;
}

export interface ReportOnlyVerdict {
  readonly policy: ReportOnlyAttachment;
  /** Without a waiver, by name. */
  readonly failing: readonly (RunNow & { readonly judged: Judged })[];
  readonly waivedCount: number;
  readonly compliantCount: number;
}

const listRunsNow = statement<{ org_id: string; environment_id: string; most: number }, RunNow>(
  'list_runs_to_report',
  `select distinct name, fingerprint from running
   where org_id = :org_id::uuid and environment_id = :environment_id::uuid and until_index is null
   order by name, fingerprint limit :most::integer`,
);

/** Evaluates what runs now by the report-only policies. Stores nothing. */
export async function readReportOnly(ctx: Ctx, environmentName: string) {
  const environment = await readEnvironment(ctx, environmentName);
  await requirePhysical(ctx, environment, 'env_name');
  const attached = await readReportOnlyAttached(ctx.db, ctx.org, environment.id);
  const most = REPORT_ONLY_ARTIFACTS + 1;
  const found = await listRunsNow(ctx.db, { org_id: ctx.org, environment_id: environment.id, most });
  const runs = found.slice(0, REPORT_ONLY_ARTIFACTS);
  const judged = attached.length === 0 ? [] : await judgeUnder(ctx, environment, toApplied(attached), runs);
  return {
    environment,
    at: ctx.now(),
    artifactCount: runs.length,
    isCut: found.length > runs.length,
    verdicts: attached.map((policy, place) => verdictOf(policy, runs, judged, place)),
  };
}

function verdictOf(
  policy: ReportOnlyAttachment,
  runs: readonly RunNow[],
  verdicts: readonly RunVerdict[],
  place: number,
): ReportOnlyVerdict {
  const decided = runs.flatMap(({ name, fingerprint }, i) => {
    const { decisions, waiverId } = verdicts[i] ?? {};
    const judged = decisions?.[place]?.judged;
    return judged ? [{ name, fingerprint, judged, isWaived: waiverId !== null }] : [];
  });
  const failing = decided.filter(({ judged }) => judged.status !== 'COMPLIANT');
  return {
    policy,
    failing: failing.filter(({ isWaived }) => !isWaived),
    waivedCount: failing.filter(({ isWaived }) => isWaived).length,
    compliantCount: decided.length - failing.length,
  };
}
