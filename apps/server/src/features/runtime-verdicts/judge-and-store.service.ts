import type { Ctx } from '../../platform/ctx.ts';
import type { RunCompliance } from '../../platform/db/tables.ts';
import type { Provenance } from '../provenance/provenance.reads.ts';
import { judgeRuns, type RunToJudge, type Verdict } from './judge-runs.service.ts';
import { keepDecisions } from './store-decisions.service.ts';

/** A verdict whose decisions are stored. */
export interface KeptVerdict {
  readonly compliance: RunCompliance;
  readonly evidenceId: string | null;
  readonly decisionIds: readonly string[];
  readonly waiverId: string | null;
}

/** Decisions are large as long as all that they say is in memory. */
export const JUDGED_AT_ONCE = 500;

export async function judgeAndKeep(
  ctx: Ctx,
  runs: readonly RunToJudge[],
  provenanceOf: ReadonlyMap<string, Provenance>,
): Promise<KeptVerdict[]> {
  const kept: KeptVerdict[] = [];
  for (let from = 0; from < runs.length; from += JUDGED_AT_ONCE) {
    const verdicts = await judgeRuns(ctx, runs.slice(from, from + JUDGED_AT_ONCE), provenanceOf);
    await keepDecisions(ctx, {
      sets: [],
      states: verdicts.flatMap((verdict) => verdict.evidence ?? []),
      decisions: verdicts.flatMap((verdict) => verdict.decisions),
    });
    kept.push(...verdicts.map(toKept));
  }
  return kept;
}

export function toKept({ compliance, evidence, decisions, waiverId }: Verdict): KeptVerdict {
  return {
    compliance,
    evidenceId: evidence?.id ?? null,
    decisionIds: decisions.map((decision) => decision.id),
    waiverId,
  };
}
