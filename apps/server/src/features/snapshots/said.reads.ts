import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { keptFacts } from './kept-facts.ts';
import type { RunAt } from './snapshot.reads.ts';

/** What policies said of runs, as pieces of JSON text. */
export interface Said {
  readonly decisions: ReadonlyMap<string, DecisionText>;
  /** Of a state of evidence: of each report of the artifact, how it stood in its trail. */
  readonly standings: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

interface DecisionText {
  /** An element of `policy_decisions`. */
  readonly shown: string;
  /** The elements of `reasons_for_incompliance`, without brackets. */
  readonly reasons: string;
}

const listShown = statement<{ org_id: string; ids: readonly string[] }, { id: string; shown: string; reasons: string }>(
  'list_decisions_shown',
  'select id, shown, reasons from decision where org_id = :org_id and id = any(:ids::uuid[])',
);

const listTold = statement<{ org_id: string; ids: readonly string[] }, { id: string; told: string }>(
  'list_evidence_told',
  'select id, told from evidence_state where org_id = :org_id and id = any(:ids::uuid[])',
);

/** What a large environment runs, under twenty policies. */
const KEPT = 40_000;
const LONGEST_KEPT = 2_000;

/** By ids that are made of ids: nobody else has them in any org. */
const readDecisions = keptFacts<DecisionText>({
  size: KEPT,
  isSmall: ({ shown, reasons }) => shown.length + reasons.length <= LONGEST_KEPT,
  read: async (ctx, ids) => {
    const rows = await listShown(ctx.db, { org_id: ctx.org, ids });
    return rows.map(({ id, shown, reasons }) => [id, { shown, reasons: reasons.slice(1, -1) }] as const);
  },
});

const readStandings = keptFacts<ReadonlyMap<string, string>>({
  size: KEPT,
  isSmall: (told) => told.size <= 10,
  read: async (ctx, ids) => {
    const rows = await listTold(ctx.db, { org_id: ctx.org, ids });
    return rows.map(({ id, told }) => [id, new Map(JSON.parse(told) as [string, string][])] as const);
  },
});

export async function readSaid(ctx: Ctx, runs: readonly RunAt[], isLatest: boolean): Promise<Said> {
  const decisionIds: string[] = [];
  const evidenceIds: string[] = [];
  for (const run of runs) {
    decisionIds.push(...run.decisionIds);
    if (run.evidenceId !== null) evidenceIds.push(run.evidenceId);
  }
  const [decisions, standings] = await Promise.all([
    readDecisions(ctx, decisionIds, isLatest),
    readStandings(ctx, evidenceIds, isLatest),
  ]);
  return { decisions, standings };
}
