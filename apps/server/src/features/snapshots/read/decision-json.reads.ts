import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { statement } from '../../../platform/db/statement.ts';
import { storedRows } from '../../../platform/stored-json.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { damagedDecision } from './damaged-decision-view.ts';
import { cachedFacts } from './fact-cache.ts';
import type { RunAt } from './snapshot.reads.ts';

/** The decisions of policies on runs, as pieces of JSON text. */
export interface RunDecisions {
  readonly decisions: ReadonlyMap<string, DecisionText>;
  /** By state of evidence: the status of the artifact in each flow; null when the row is damaged. */
  readonly statuses: ReadonlyMap<string, EvidenceStatuses | null>;
  /** Waivers as JSON. */
  readonly waivers: ReadonlyMap<string, string>;
}

interface DecisionText {
  /** An element of `policy_decisions`. */
  readonly shown: string;
  /** The elements of `reasons_for_incompliance`, without brackets. */
  readonly reasons: string;
  readonly isDamaged: boolean;
}

type EvidenceStatuses = ReadonlyMap<string, string>;

const listShown = statement<{ org_id: string; ids: readonly string[] }, { id: string; shown: string; reasons: string }>(
  'list_decisions_shown',
  'select id, shown, reasons from decision where org_id = :org_id and id = any(:ids::uuid[])',
);

const listStatuses = statement<{ org_id: string; ids: readonly string[] }, { id: string; statuses_by_flow: string }>(
  'list_evidence_statuses',
  'select id, statuses_by_flow from evidence_state where org_id = :org_id and id = any(:ids::uuid[])',
);

/** The decisions of a large environment under twenty policies. */
const CACHE_SIZE = 40_000;
const MAX_CACHED_LENGTH = 2_000;

/** Keyed by content-derived ids, which are unique across orgs. */
const readDecisions = cachedFacts<DecisionText>({
  size: CACHE_SIZE,
  isCacheable: ({ shown, reasons, isDamaged }) => shown.length + reasons.length <= MAX_CACHED_LENGTH && !isDamaged,
  read: async (ctx, ids) => {
    const rows = await listShown(ctx.db, { org_id: ctx.org, ids });
    const stored = storedRows(ctx.log, 'decision');
    for (const { id, shown, reasons } of rows) {
      stored.read(id, shown, null);
      stored.read(id, reasons, null);
    }
    const damaged = await readDamagedDecisions(
      ctx,
      rows.flatMap(({ id }) => (stored.isDamaged(id) ? id : [])),
    );
    return rows.map(({ id, shown, reasons }) => {
      const whole = { shown, reasons: reasons.slice(1, -1), isDamaged: false };
      return [id, damaged.get(id) ?? whole] as const;
    });
  },
});

/** Built from the columns that can be read, and never compliant. */
async function readDamagedDecisions(ctx: Ctx, ids: readonly string[]): Promise<Map<string, DecisionText>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; policy_name: string; policy_version: number }>`
    select decision.id, policy.name as policy_name, decision.policy_version
    from decision join policy on policy.org_id = decision.org_id and policy.id = decision.policy_id
    where decision.org_id = ${ctx.org} and decision.id = any(${ids}::uuid[])`.execute(ctx.db);
  return new Map(
    rows.map(({ id, policy_name, policy_version }) => {
      const { shown, reasons } = damagedDecision(policy_name, policy_version);
      return [
        id,
        { shown: JSON.stringify(shown), reasons: reasons.map((one) => JSON.stringify(one)).join(), isDamaged: true },
      ];
    }),
  );
}

const readEvidenceStatuses = cachedFacts<EvidenceStatuses | null>({
  size: CACHE_SIZE,
  isCacheable: (statuses) =>
    statuses !== null &&
    statuses.size <= 10 &&
    [...statuses.values()].every((it) => it.length <= MAX_CACHED_LENGTH / 4),
  read: async (ctx, ids) => {
    const rows = await listStatuses(ctx.db, { org_id: ctx.org, ids });
    const stored = storedRows(ctx.log, 'evidence_state');
    return rows.map((row) => {
      const statuses = stored.read<[string, string][] | null>(row.id, row.statuses_by_flow, null);
      return [row.id, statuses && new Map(statuses)] as const;
    });
  },
});

interface WaiverRow {
  readonly id: string;
  readonly description: string;
  readonly created_at: Date;
  readonly created_by: string;
  readonly expires_at: Date | null;
}

const listWaiversOf = statement<{ org_id: string; ids: readonly string[] }, WaiverRow>(
  'list_waivers_shown',
  `select id, description, created_at, created_by, expires_at from waiver
   where org_id = :org_id and id = any(:ids::uuid[])`,
);

const readWaivers = cachedFacts<string>({
  size: CACHE_SIZE,
  isCacheable: (text) => text.length <= MAX_CACHED_LENGTH,
  read: async (ctx, ids) => {
    const rows = await listWaiversOf(ctx.db, { org_id: ctx.org, ids });
    return rows.map((row) => [row.id, waiverText(row)] as const);
  },
});

function waiverText({ id, description, created_at, created_by, expires_at }: WaiverRow): string {
  return JSON.stringify({
    allowlist_id: id,
    allowed_by_user_id: created_by,
    timestamp: epochSeconds(created_at),
    description,
    expires_at: expires_at && epochSeconds(expires_at),
  });
}

export async function readRunDecisions(ctx: Ctx, runs: readonly RunAt[], isLatest: boolean): Promise<RunDecisions> {
  const decisionIds: string[] = [];
  const evidenceIds: string[] = [];
  const waiverIds: string[] = [];
  for (const run of runs) {
    decisionIds.push(...run.decisionIds);
    if (run.evidenceId !== null) evidenceIds.push(run.evidenceId);
    if (run.waiverId !== null) waiverIds.push(run.waiverId);
  }
  const [decisions, statuses, waivers] = await Promise.all([
    readDecisions(ctx, decisionIds, isLatest),
    readEvidenceStatuses(ctx, evidenceIds, isLatest),
    readWaivers(ctx, waiverIds, isLatest),
  ]);
  return { decisions, statuses, waivers };
}
