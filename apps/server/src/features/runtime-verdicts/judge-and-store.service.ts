import type { Ctx } from '../../platform/ctx.ts';
import type { RunCompliance } from '../../platform/db/tables.ts';
import type { Provenance } from '../provenance/provenance.reads.ts';
import { judgeRuns, type RunToJudge, type RunVerdict } from './judge-runs.service.ts';
import { type NewDecisions, storeDecisions } from './store-decisions.service.ts';
import { scheduleTurns } from './turns/schedule-turns.service.ts';

/** A verdict whose decisions are stored. */
export interface StoredVerdict {
  readonly compliance: RunCompliance;
  readonly evidenceId: string | null;
  readonly decisionIds: readonly string[];
  readonly waiverId: string | null;
}

/** Bounds memory: decisions are large until they are stored. */
export const JUDGE_BATCH_SIZE = 500;

interface Judgement {
  readonly verdicts: readonly StoredVerdict[];
  /** Of the last batch, for the caller to store with what refers to them: mostly there is one batch. */
  readonly unstored: Omit<NewDecisions, 'sets'>;
}

export async function judgeAndStore(
  ctx: Ctx,
  runs: readonly RunToJudge[],
  provenanceOf: ReadonlyMap<string, Provenance>,
): Promise<Judgement> {
  const stored: StoredVerdict[] = [];
  let unstored: Judgement['unstored'] = { states: [], decisions: [] };
  for (let from = 0; from < runs.length; from += JUDGE_BATCH_SIZE) {
    await storeDecisions(ctx, { ...unstored, sets: [] });
    const batch = runs.slice(from, from + JUDGE_BATCH_SIZE);
    const verdicts = await judgeRuns(ctx, batch, provenanceOf);
    await scheduleTurns(ctx, batch, verdicts);
    unstored = {
      states: verdicts.flatMap((verdict) => verdict.evidence ?? []),
      decisions: verdicts.flatMap((verdict) => verdict.decisions),
    };
    stored.push(...verdicts.map(toStoredVerdict));
  }
  return { verdicts: stored, unstored };
}

export function toStoredVerdict({ compliance, evidence, decisions, waiverId }: RunVerdict): StoredVerdict {
  return {
    compliance,
    evidenceId: evidence?.id ?? null,
    decisionIds: decisions.map((decision) => decision.id),
    waiverId,
  };
}
