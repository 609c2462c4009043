import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../../../platform/ctx.ts';
import { invalid } from '../../../../platform/errors.ts';
import { listReadings } from '../../../readings/reading.reads.ts';
import type { RunInterval } from '../../../snapshots/read/run-intervals.reads.ts';

const SNAPSHOTS_MAX = 10_000;
const VERDICTS_MAX = 50_000;
/** All entries of the environment are in the package: what ran when the period began follows from those before it. */
export const ENTRIES_MAX = 20_000;

export interface PackagedSnapshot {
  readonly index: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly trigger: string;
  readonly compliance: string;
  readonly policy_set_id: string | null;
}

export interface PackagedVerdict {
  readonly name: string;
  readonly fingerprint: string;
  readonly from_index: number;
  readonly compliance: string;
  readonly artifact_ids: readonly string[];
  readonly evidence_id: string | null;
  readonly decision_ids: readonly string[];
  readonly waiver_id: string | null;
}

export interface ExitedRun {
  readonly name: string;
  readonly fingerprint: string;
  readonly until_index: number;
}

export async function listSnapshotsIn(
  ctx: Ctx,
  { environment_id, first, last }: RunInterval,
): Promise<PackagedSnapshot[]> {
  const rows = await ctx.db
    .selectFrom('snapshot')
    .select(['index', 'created_at', 'created_by', 'trigger', 'compliance', 'policy_set_id'])
    .where('org_id', '=', ctx.org)
    .where('environment_id', '=', environment_id)
    .where('index', '>=', first)
    .where('index', '<=', last)
    .orderBy('index')
    .limit(SNAPSHOTS_MAX + 1)
    .execute();
  if (rows.length > SNAPSHOTS_MAX) throw tooMuch(`${SNAPSHOTS_MAX} snapshots`);
  return rows;
}

/** The verdicts that hold in the first snapshot, and those that begin later. */
export async function listVerdictsIn(
  ctx: Ctx,
  { environment_id, first, last }: RunInterval,
): Promise<PackagedVerdict[]> {
  const { rows } = await sql<PackagedVerdict>`
    select running.name, running.fingerprint, greatest(verdict.from_index, ${first}) as from_index, verdict.compliance,
      verdict.artifact_ids, verdict.evidence_id, verdict.decision_ids, verdict.waiver_id
    from running_verdict as verdict
    join running on running.org_id = verdict.org_id and running.environment_id = verdict.environment_id
      and running.no = verdict.no
    where verdict.org_id = ${ctx.org} and verdict.environment_id = ${environment_id} and verdict.from_index <= ${last}
      and (verdict.until_index is null or verdict.until_index > ${first})
    order by verdict.from_index, running.name, running.fingerprint
    limit ${VERDICTS_MAX + 1}`.execute(ctx.db);
  if (rows.length > VERDICTS_MAX) throw tooMuch(`${VERDICTS_MAX} verdicts`);
  return rows;
}

export async function listExitsIn(ctx: Ctx, { environment_id, first, last }: RunInterval): Promise<ExitedRun[]> {
  const { rows } = await sql<ExitedRun>`
    select name, fingerprint, until_index from running
    where org_id = ${ctx.org} and environment_id = ${environment_id} and until_index > ${first} and until_index <= ${last}
    order by until_index, name, fingerprint`.execute(ctx.db);
  return rows;
}

export interface PackagedDecision {
  readonly id: string;
  readonly policy_id: string;
  readonly policy_version: number;
  readonly policy_name: string;
  readonly evidence_id: string;
  readonly context: string;
  readonly engine: string;
  readonly status: string;
  readonly shown: string;
  readonly reasons: string;
}

const IDS_PER_QUERY = 1_000;

async function* slicesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < all.length; at += IDS_PER_QUERY) yield all.slice(at, at + IDS_PER_QUERY);
}

export async function* readDecisions(ctx: Ctx, ids: readonly string[]): AsyncGenerator<PackagedDecision> {
  for await (const some of slicesOf(ids)) {
    const { rows } = await sql<PackagedDecision>`
      select decision.id, policy_id, policy_version, policy.name as policy_name, evidence_id, context, engine, status,
        shown, reasons
      from decision join policy on policy.org_id = decision.org_id and policy.id = decision.policy_id
      where decision.org_id = ${ctx.org} and decision.id = any(${some}::uuid[]) order by decision.id`.execute(ctx.db);
    yield* rows;
  }
}

export async function* readEvidenceStates(
  ctx: Ctx,
  ids: readonly string[],
): AsyncGenerator<{ readonly id: string; readonly content: string }> {
  for await (const some of slicesOf(ids)) {
    yield* await ctx.db
      .selectFrom('evidence_state')
      .select(['id', 'content'])
      .where('org_id', '=', ctx.org)
      .where(sql<SqlBool>`id = any(${some}::uuid[])`)
      .orderBy('id')
      .execute();
  }
}

/** One at a time, as each may be large. */
export async function* readReadingTexts(
  ctx: Ctx,
  ids: readonly string[],
): AsyncGenerator<{ readonly id: string; readonly content: string }> {
  for (const id of ids) yield* await listReadings(ctx.db, { org_id: ctx.org, ids: [id] });
}

/** Versions of policies that decided something. */
export async function listPolicyTexts(ctx: Ctx, decisionIds: readonly string[]) {
  const { rows } = await sql<{
    policy_id: string;
    name: string;
    version: number;
    comment: string;
    policy_yaml: string;
    created_at: Date;
    created_by: string;
  }>`
    select version.policy_id, policy.name, version.version, version.comment, version.policy_yaml, version.created_at,
      version.created_by
    from policy_version as version
    join policy on policy.org_id = version.org_id and policy.id = version.policy_id
    where version.org_id = ${ctx.org} and exists (
      select from decision where decision.org_id = ${ctx.org} and decision.id = any(${decisionIds}::uuid[])
        and decision.policy_id = version.policy_id and decision.policy_version = version.version)
    order by policy.name, version.version`.execute(ctx.db);
  return rows;
}

/** The evidence that states of evidence name. */
export async function listNamedEvidence(
  ctx: Ctx,
  evidenceIds: readonly string[],
): Promise<{ artifacts: Set<string>; attestations: Set<string>; readings: Set<string> }> {
  const named = { artifacts: new Set<string>(), attestations: new Set<string>(), readings: new Set<string>() };
  for await (const { content } of readEvidenceStates(ctx, evidenceIds)) {
    for (const [, id = ''] of content.matchAll(/"artifactId":"([0-9a-f-]{36})"/g)) named.artifacts.add(id);
    for (const [, id = ''] of content.matchAll(/"id":"([0-9a-f-]{36})","isCompliant":/g)) named.attestations.add(id);
    for (const [, id = ''] of content.matchAll(/"set":"([0-9a-f]{64})"/g)) named.readings.add(id);
  }
  return named;
}

export function tooMuch(limit: string): Error {
  return invalid(`The period has more than ${limit}, which is too much for one package. Choose a shorter one`);
}
