import type { Judgement } from '@waymark/compliance';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { cutSized, requireFitting, type SizedRow } from '../../platform/db/paginate.ts';
import { hasTag } from '../../platform/db/tag-filter.ts';
import { notFound } from '../../platform/errors.ts';
import { type FlowView, readFlow } from '../flows/flow.reads.ts';
import { type PinnedTemplate, readTemplate } from '../flows/template.reads.ts';
import { judgeOneTrail, judgeTrails } from './judgement.reads.ts';
import { findTrail, type TrailRow } from './trail.store.ts';

export interface TrailView {
  readonly trail: TrailRow;
  readonly flow: FlowView;
  readonly judgement: Judgement;
  readonly template: PinnedTemplate;
  readonly repositoryIds: readonly string[];
}

/** Returns the trail, or throws a 404 that names what is missing. */
export async function findTrailByName(
  ctx: Ctx,
  flowName: string,
  trailName: string,
): Promise<{ flow: FlowView; trail: TrailRow }> {
  const flow = await readFlow(ctx, flowName);
  const trail = await findTrail(ctx.db, ctx.org, flow.id, trailName);
  if (!trail) throw notFound('Trail', trailName);
  return { flow, trail };
}

export async function readTrail(ctx: Ctx, flowName: string, trailName: string): Promise<TrailView> {
  const { flow, trail } = await findTrailByName(ctx, flowName, trailName);
  const [judgement, template, repositoryIds] = await Promise.all([
    judgeOneTrail(ctx, trail),
    readTemplate(ctx.db, ctx.org, trail.template_id),
    listRepositoryIds(ctx, trail),
  ]);
  return { flow, trail, judgement, template, repositoryIds };
}

async function listRepositoryIds(ctx: Ctx, trail: TrailRow): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct repository_id as id from (
      select repository_id from artifact where org_id = ${ctx.org} and trail_id = ${trail.id}
      union all
      select repository_id from attestation where org_id = ${ctx.org} and trail_id = ${trail.id}
    ) as reported
    where repository_id is not null limit 100`.execute(ctx.db);
  return [...new Set([...(trail.repository_id ? [trail.repository_id] : []), ...rows.map((row) => row.id)])];
}

export interface TrailFilter {
  readonly flowId: string | undefined;
  readonly fingerprint: string | undefined;
  /** All digits of a commit, or the first of them. */
  readonly commit: string | undefined;
  /** These three have an index only within a flow. */
  readonly branch?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Key and, if it matters, value. */
  readonly flowTags: readonly (readonly [string, string | undefined])[];
}

export interface TrailListItem extends TrailRow {
  readonly flow_name: string;
  readonly judgement: Pick<Judgement, 'status' | 'isCompliant'>;
}

/** A judgement explains thousands of attestations, of which a list shows one word. */
const BATCH_SIZE = 20;

export async function listTrailPage(
  ctx: Ctx,
  filter: TrailFilter,
  page: number,
  perPage: number,
): Promise<{ total: number; trails: TrailListItem[] }> {
  const total = await countTrails(ctx, filter);
  // The ids of a deep page are skipped in the index alone; only the rows of the page itself are read.
  const ids = matching(ctx, filter)
    .select('trail.id')
    .orderBy('trail.receipt', 'desc')
    .limit(perPage)
    .offset((page - 1) * perPage);
  const places = await ctx.db
    .selectFrom('trail')
    .select('id')
    .select(sizeOfTrail.as('bytes'))
    .where('org_id', '=', ctx.org)
    .where('id', 'in', ids)
    .orderBy('receipt', 'desc')
    .execute();
  requireFitting(places);
  return { total, trails: await readPlaces(ctx, places) };
}

export async function countTrails(ctx: Ctx, filter: TrailFilter): Promise<number> {
  const { total } = await matching(ctx, filter)
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The newest of those received before, and the receipt of the last one if there are more. */
export async function listTrailsFrom(
  ctx: Ctx,
  filter: TrailFilter,
  before: number | undefined,
  limit: number,
): Promise<{ trails: TrailListItem[]; next: number | undefined }> {
  const places = await matching(ctx, filter)
    .select(['trail.id', 'trail.receipt'])
    .select(sizeOfTrail.as('bytes'))
    .$if(before !== undefined, (query) => query.where('trail.receipt', '<', before as number))
    .orderBy('trail.receipt', 'desc')
    .limit(limit + 1)
    .execute();
  const { shown, last } = cutSized(places, limit);
  return { trails: await readPlaces(ctx, shown), next: last?.receipt };
}

const sizeOfTrail = sql<number>`coalesce(octet_length(trail.user_data), 0)
  + coalesce(octet_length(trail.git_commit_info), 0) + octet_length(trail.description)`;

async function readPlaces(ctx: Ctx, places: readonly SizedRow[]): Promise<TrailListItem[]> {
  const rows = await ctx.db
    .selectFrom('trail')
    .innerJoin('flow', (join) => join.onRef('flow.org_id', '=', 'trail.org_id').onRef('flow.id', '=', 'trail.flow_id'))
    .selectAll('trail')
    .select('flow.name as flow_name')
    .where('trail.org_id', '=', ctx.org)
    .where(sql<SqlBool>`trail.id = any(${places.map(({ id }) => id)}::uuid[])`)
    .orderBy('trail.receipt', 'desc')
    .execute();
  return withJudgements(ctx, rows);
}

async function withJudgements(ctx: Ctx, rows: readonly (TrailRow & { flow_name: string })[]): Promise<TrailListItem[]> {
  const items: TrailListItem[] = [];
  for (let from = 0; from < rows.length; from += BATCH_SIZE) {
    const part = rows.slice(from, from + BATCH_SIZE);
    const judgements = await judgeTrails(ctx, part);
    for (const row of part) {
      const judgement = judgements.get(row.id);
      if (!judgement) continue;
      const { status, isCompliant } = judgement;
      items.push({ ...row, judgement: { status, isCompliant } });
    }
  }
  return items;
}

function matching(ctx: Ctx, filter: TrailFilter) {
  let query = ctx.db.selectFrom('trail').where('trail.org_id', '=', ctx.org);
  if (filter.flowId) query = query.where('trail.flow_id', '=', filter.flowId);
  if (filter.fingerprint) {
    query = query.where(
      sql<SqlBool>`trail.id in (
        select trail_id from artifact where org_id = ${ctx.org} and fingerprint in (
          select ${filter.fingerprint}::text
          union all
          select index_fingerprint from image_platform
          where org_id = ${ctx.org} and platform_fingerprint = ${filter.fingerprint} and is_listed))`,
    );
  }
  if (filter.commit) {
    query = query.where(
      sql<SqlBool>`trail.id in (
        select trail_id from trail_commit where org_id = ${ctx.org} and ${isCommit(filter.commit)})`,
    );
  }
  if (filter.branch) query = query.where(isBranch(filter.branch));
  if (filter.from) query = query.where('trail.created_at', '>=', filter.from);
  if (filter.to) query = query.where('trail.created_at', '<=', filter.to);
  for (const tag of filter.flowTags) query = query.where(hasTag(ctx.org, 'flow', 'trail.flow_id', tag));
  return query;
}

const SHA_DIGITS = 40;

/** Behind the last digit of a commit comes a letter that none has. */
function isCommit(digits: string): RawBuilder<SqlBool> {
  if (digits.length === SHA_DIGITS) return sql`commit_sha = ${digits}`;
  return sql`commit_sha >= ${digits} and commit_sha < ${`${digits}g`}`;
}

/** The index contains the beginning of a branch. */
function isBranch(branch: string): RawBuilder<SqlBool> {
  return sql`(left(trail.branch, 200) = left(${branch}, 200) and trail.branch = ${branch})`;
}

export interface CommitTrail {
  readonly flow_name: string;
  readonly trail_name: string;
  readonly branch: string | null;
}

/**
 * Spec 4.7: the trails that report a commit, newest first, across all flows. The branch is that of the commit: what its
 * newest artifact says, else its newest attestation, else the trail if it is about that commit.
 */
export async function listCommitTrails(ctx: Ctx, sha: string, page: number, perPage: number) {
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from trail_commit where org_id = ${ctx.org} and commit_sha = ${sha}`.execute(ctx.db);
  const { rows } = await sql<CommitTrail>`
    select flow.name as flow_name, trail.name as trail_name, coalesce(
      (select branch from artifact
       where org_id = ${ctx.org} and trail_id = trail.id and commit_sha = ${sha} and branch <> ''
       order by receipt desc limit 1),
      (select branch from attestation
       where org_id = ${ctx.org} and trail_id = trail.id and commit_sha = ${sha} and branch <> ''
       order by receipt desc limit 1),
      case when trail.commit_sha = ${sha} then trail.branch end) as branch
    from (
      select trail_id from trail_commit where org_id = ${ctx.org} and commit_sha = ${sha}
      order by trail_receipt desc limit ${perPage} offset ${(page - 1) * perPage}
    ) as reporting
    join trail on trail.org_id = ${ctx.org} and trail.id = reporting.trail_id
    join flow on flow.org_id = trail.org_id and flow.id = trail.flow_id
    order by trail.receipt desc`.execute(ctx.db);
  return { total: counted[0]?.total ?? 0, trails: rows };
}
