import { type ArtifactStatus, type Judgement, statusOfArtifact } from '@waymark/compliance';
import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { requireFitting } from '../../platform/db/paginate.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { type FlowView, readFlow } from '../flows/flow.reads.ts';
import {
  isWholeFingerprint,
  type Lookup,
  listIndexMatches,
  listMatches,
  MATCHES_READ,
  onlyMatch,
} from '../provenance/fingerprint.reads.ts';
import { type ArtifactReport, type Provenance, readProvenance, reportsOf } from '../provenance/provenance.reads.ts';
import { judgeTrails } from '../trails/judgement.reads.ts';
import { findTrailByName } from '../trails/trail.reads.ts';
import * as store from './artifact.store.ts';

const FLOWS_MAX = 1_000;

export interface JudgedArtifact extends store.ArtifactRow {
  readonly flow_name: string;
  readonly trail_name: string;
  readonly template_id: string;
  readonly status: ArtifactStatus;
  readonly judgement: Judgement;
}

/** An artifact, or the image index that lists the requested one. */
interface FoundArtifact extends JudgedArtifact {
  /** The complete requested fingerprint. */
  readonly asked: string;
}

export async function readArtifact(
  ctx: Ctx,
  flowName: string,
  prefix: string,
  trailName?: string,
): Promise<FoundArtifact> {
  const { flow, trailId } = await findPlace(ctx, flowName, trailName);
  const { asked, fingerprint } = await resolveArtifact(ctx, flow, prefix);
  const artifact = await store.findNewest(ctx.db, ctx.org, flow.id, fingerprint, trailId);
  if (!artifact) throw notFound('Artifact', prefix);
  return { ...(await judgeOne(ctx, artifact)), asked };
}

/** The flow's own reports come before an image that is known only by the index that lists it. */
async function resolveArtifact(
  ctx: Ctx,
  flow: FlowView,
  prefix: string,
): Promise<{ asked: string; fingerprint: string }> {
  const query: Lookup = { field: 'fingerprint', what: 'fingerprint', place: ` in flow '${flow.name}'` };
  const reported = await listMatches(ctx, flow.id, 'fingerprint', prefix, MATCHES_READ);
  const fingerprint = onlyMatch(reported, prefix, query);
  if (fingerprint !== undefined) return { asked: fingerprint, fingerprint };
  const listed = await listIndexMatches(ctx, flow.id, prefix, MATCHES_READ);
  const images = listed.map(({ asked }) => asked);
  onlyMatch(images, prefix, query);
  if (!listed[0]) throw notFound('Artifact', `${flow.name}@${prefix}`);
  return listed[0];
}

export async function listCommitArtifacts(
  ctx: Ctx,
  flowName: string,
  prefix: string,
  trailName?: string,
): Promise<JudgedArtifact[]> {
  const { flow, trailId } = await findPlace(ctx, flowName, trailName);
  const commit = await resolve(ctx, flow, 'commit_sha', prefix);
  const found = await store.listOfCommit(ctx.db, ctx.org, flow.id, commit, trailId);
  if (found.length === 0) throw notFound('Artifact of commit', prefix);
  return judgeArtifacts(ctx, found);
}

export async function findLatestCommit(
  ctx: Ctx,
  flowName: string,
  prefix: string,
  branch: string | undefined,
): Promise<string | null> {
  const flow = await readFlow(ctx, flowName);
  // A pipeline asks before it reports the artifact, so a complete fingerprint needs no report.
  const whole = isWholeFingerprint(prefix) ? prefix : await resolve(ctx, flow, 'fingerprint', prefix);
  return (await store.findCommitBefore(ctx.db, ctx.org, flow.id, whole, branch)) ?? null;
}

async function findPlace(ctx: Ctx, flowName: string, trailName: string | undefined) {
  const flow = await readFlow(ctx, flowName);
  if (trailName === undefined) return { flow, trailId: undefined };
  return { flow, trailId: (await findTrailByName(ctx, flowName, trailName)).trail.id };
}

/** Domain rule: no match is a 404, several are refused with up to ten of them. */
async function resolve(
  ctx: Ctx,
  flow: FlowView,
  column: 'fingerprint' | 'commit_sha',
  prefix: string,
): Promise<string> {
  const matches = await listMatches(ctx, flow.id, column, prefix, MATCHES_READ);
  const kind = column === 'fingerprint' ? 'Artifact' : 'Artifact of commit';
  const field = column === 'fingerprint' ? 'fingerprint' : 'commit';
  const match = onlyMatch(matches, prefix, { field, what: field, place: ` in flow '${flow.name}'` });
  if (match === undefined) throw notFound(kind, `${flow.name}@${prefix}`);
  return match;
}

export interface ArtifactFilter {
  readonly flowId?: string;
  readonly repositoryIds?: readonly string[];
}

export async function listArtifactPage(
  ctx: Ctx,
  filter: ArtifactFilter,
  page: number,
  perPage: number,
): Promise<JudgedArtifact[]> {
  let ids = ctx.db.selectFrom('artifact').select('id').where('org_id', '=', ctx.org);
  if (filter.flowId) ids = ids.where('flow_id', '=', filter.flowId);
  if (filter.repositoryIds) ids = ids.where('repository_id', 'in', filter.repositoryIds);
  const places = await ctx.db
    .selectFrom('artifact')
    .select('id')
    .select(sql<number>`octet_length(content)`.as('bytes'))
    .where('org_id', '=', ctx.org)
    .where(
      'id',
      'in',
      ids
        .orderBy('receipt', 'desc')
        .limit(perPage)
        .offset((page - 1) * perPage),
    )
    .orderBy('receipt', 'desc')
    .execute();
  requireFitting(places);
  const rows = await ctx.db
    .selectFrom('artifact')
    .selectAll()
    .where('org_id', '=', ctx.org)
    .where(sql<SqlBool>`id = any(${places.map(({ id }) => id)}::uuid[])`)
    .orderBy('receipt', 'desc')
    .execute();
  return judgeArtifacts(ctx, rows);
}

async function judgeOne(ctx: Ctx, artifact: store.ArtifactRow): Promise<JudgedArtifact> {
  const [judged] = await judgeArtifacts(ctx, [artifact]);
  if (!judged) throw new Error(`artifact ${artifact.id} is in no trail`);
  return judged;
}

/** Adds to each report its verdict, which depends on the whole trail it was reported into. */
export async function judgeArtifacts(ctx: Ctx, artifacts: readonly store.ArtifactRow[]): Promise<JudgedArtifact[]> {
  if (artifacts.length === 0) return [];
  const { rows } = await sql<{
    id: string;
    name: string;
    template_id: string;
    auto_created: boolean;
    flow_name: string;
  }>`
    select trail.id, trail.name, trail.template_id, trail.auto_created, flow.name as flow_name
    from trail join flow on flow.org_id = trail.org_id and flow.id = trail.flow_id
    where trail.org_id = ${ctx.org}
      and trail.id = any(${[...new Set(artifacts.map((artifact) => artifact.trail_id))]}::uuid[])`.execute(ctx.db);
  const trails = new Map(rows.map((row) => [row.id, row]));
  const judgements = await judgeTrails(ctx, rows);
  return artifacts.flatMap((artifact) => {
    const trail = trails.get(artifact.trail_id);
    const judgement = judgements.get(artifact.trail_id);
    if (!trail || !judgement) return [];
    return [
      {
        ...artifact,
        flow_name: trail.flow_name,
        trail_name: trail.name,
        template_id: trail.template_id,
        status: statusOfArtifact(judgement, artifact),
        judgement,
      },
    ];
  });
}

/** The newest report of an artifact in a flow and the name of its trail, without a verdict. */
export async function findNewestReport(
  ctx: Ctx,
  flowId: string,
  fingerprint: string,
): Promise<{ trail_id: string; trail_name: string; filename: string } | undefined> {
  const { rows } = await sql<{ trail_id: string; trail_name: string; filename: string }>`
    select newest.trail_id, trail.name as trail_name, newest.filename
    from (
      select trail_id, filename from artifact
      where org_id = ${ctx.org} and fingerprint = ${fingerprint} and flow_id = ${flowId}
      order by receipt desc limit 1
    ) as newest
    join trail on trail.org_id = ${ctx.org} and trail.id = newest.trail_id`.execute(ctx.db);
  return rows[0];
}

/** Where and under which names an artifact was reported into a flow. */
export async function findReports(ctx: Ctx, flowName: string, prefix: string) {
  const flow = await readFlow(ctx, flowName);
  const fingerprint = await resolve(ctx, flow, 'fingerprint', prefix);
  const reports = await store.listReports(ctx.db, ctx.org, flow.id, fingerprint);
  return {
    fingerprint,
    trailIds: [...new Set(reports.map((report) => report.trail_id))],
    named: reports.flatMap(({ template_name, commit_sha }) =>
      template_name !== null && commit_sha !== null ? [[template_name, commit_sha] as const] : [],
    ),
  };
}

/**
 * The reports that decide about an artifact: of itself, of the index that lists it, of its platforms. The flow that
 * reported it first comes first.
 */
export async function listNewestByFlow(
  ctx: Ctx,
  fingerprint: string,
  flowId: string | undefined,
): Promise<store.ArtifactRow[]> {
  const reports = (await readProvenance(ctx.db, ctx.org, [fingerprint])).get(fingerprint);
  const ids = reportsOf(flowId === undefined ? reports : reports && inFlow(reports, flowId)).map(({ id }) => id);
  if (ids.length > FLOWS_MAX) {
    throw invalidField('query.flow_name', `is required: more than ${FLOWS_MAX} flows report this artifact`);
  }
  return store.listById(ctx.db, ctx.org, ids);
}

function inFlow({ reports, platforms }: Provenance, flowId: string): Provenance {
  const only = (all: readonly ArtifactReport[]) => all.filter((report) => report.flow_id === flowId);
  return {
    reports: only(reports),
    platforms: platforms.map((platform) => ({ ...platform, reports: only(platform.reports) })),
  };
}
