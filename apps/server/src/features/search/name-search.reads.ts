import type { EnvironmentType } from '@waymark/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { listViews } from '../environments/environment.reads.ts';

export interface AskedNames {
  /** Each must be part of the name. */
  readonly words: readonly string[];
  /** The whole search text: names that begin with it come first. */
  readonly whole: string;
  readonly limit: number;
}

interface NamedFlow {
  readonly name: string;
  readonly description: string;
}

interface NamedEnvironment {
  readonly name: string;
  readonly type: EnvironmentType;
  readonly compliance: 'compliant' | 'non-compliant' | 'unknown';
  readonly stale: boolean;
}

interface NamedControl {
  readonly identifier: string;
  readonly name: string;
}

interface NamedTrail {
  readonly flow_name: string;
  readonly name: string;
}

interface NamedArtifact {
  readonly fingerprint: string;
  readonly name: string;
  readonly flow_name: string;
}

/** Many names with the same beginning may belong to archived flows, or to one artifact. */
const MAX_MATCHES = 200;

/** The length of the indexed part of a name. */
const INDEXED = 200;

export async function listFlowsNamed(ctx: Ctx, asked: AskedNames): Promise<NamedFlow[]> {
  const { rows } = await sql<NamedFlow>`
    select name, description from flow where org_id = ${ctx.org} and archived_at is null and ${holds('name', asked)}
    order by ${isLater('name', asked)}, name limit ${asked.limit}`.execute(ctx.db);
  return rows;
}

export async function listEnvironmentsNamed(ctx: Ctx, asked: AskedNames): Promise<NamedEnvironment[]> {
  const { rows } = await sql<{ id: string }>`
    select id from environment where org_id = ${ctx.org} and archived_at is null and ${holds('name', asked)}
    order by ${isLater('name', asked)}, name limit ${asked.limit}`.execute(ctx.db);
  const views = await listViews(
    ctx,
    rows.map(({ id }) => id),
  );
  return views.map(({ name, type, compliance_now, stale_since }) => {
    return { name, type, compliance: compliance_now, stale: stale_since !== null };
  });
}

export async function listPoliciesNamed(ctx: Ctx, asked: AskedNames): Promise<{ name: string }[]> {
  const { rows } = await sql<{ name: string }>`
    select name from policy where org_id = ${ctx.org} and archived_at is null and ${holds('name', asked)}
    order by ${isLater('name', asked)}, name limit ${asked.limit}`.execute(ctx.db);
  return rows;
}

export async function listControlsNamed(ctx: Ctx, asked: AskedNames): Promise<NamedControl[]> {
  const { rows } = await sql<NamedControl>`
    select identifier, name from control
    where org_id = ${ctx.org} and archived_at is null and (${holds('identifier', asked)} or ${holds('name', asked)})
    order by least(${isLater('identifier', asked)}, ${isLater('name', asked)}), identifier
    limit ${asked.limit}`.execute(ctx.db);
  return rows;
}

/** The first digits of a commit. Fewer would match the commits of half of a large org. */
const COMMIT_PREFIX = /^[0-9a-f]{6,40}$/;

/** By the beginning of the name, or of a commit that the trail or its contents come from. */
export async function listTrailsNamed(ctx: Ctx, { whole, limit }: AskedNames): Promise<NamedTrail[]> {
  const named = sql`(
    select flow_id, name from trail where org_id = ${ctx.org} and ${begins(sql`lower(name)`, whole)}
    order by lower(name) using ~<~ limit ${MAX_MATCHES})`;
  const digits = whole.toLowerCase();
  const found = COMMIT_PREFIX.test(digits) ? sql`${named} union ${trailsOfCommits(ctx, digits)}` : named;
  const { rows } = await sql<NamedTrail>`
    select flow.name as flow_name, found.name from (${found}) as found
    join flow on flow.org_id = ${ctx.org} and flow.id = found.flow_id and flow.archived_at is null
    order by lower(found.name), flow.name limit ${limit}`.execute(ctx.db);
  return rows;
}

/** Every digit sorts before g, so that the range is that of the prefix, in any collation. */
function trailsOfCommits(ctx: Ctx, digits: string): RawBuilder<unknown> {
  return sql`(
    select trail.flow_id, trail.name from (
      select trail_id from trail_commit
      where org_id = ${ctx.org} and commit_sha >= ${digits} and commit_sha < ${`${digits}g`}
      order by commit_sha limit ${MAX_MATCHES}
    ) as reported
    join trail on trail.org_id = ${ctx.org} and trail.id = reported.trail_id)`;
}

/** What artifacts are found by: the whole name, the name without the registry, and the version. Each has an index. */
const BASE = sql`left(lower(regexp_replace(filename, '^.*/', '')), ${sql.lit(INDEXED)})`;
const VERSION = sql`substring(filename from ':([^:/@]+)(?:@.*)?$')`;
const NAMES: readonly { text: RawBuilder<unknown>; has: RawBuilder<SqlBool> }[] = [
  { text: sql`left(lower(filename), ${sql.lit(INDEXED)})`, has: sql`true` },
  { text: BASE, has: sql`strpos(filename, '/') > 0` },
  { text: sql`left(lower(${VERSION}), ${sql.lit(INDEXED)})`, has: sql`${VERSION} is not null` },
];

/** Each artifact once in each flow. A space may stand for the colon before a version. */
export async function listArtifactsNamed(ctx: Ctx, { whole, words, limit }: AskedNames): Promise<NamedArtifact[]> {
  const beginnings = [...new Set([whole, words.join(':')])];
  const matches = NAMES.flatMap(({ text, has }) =>
    beginnings.map(
      (beginning) => sql`(
        select flow_id, filename, fingerprint from artifact
        where org_id = ${ctx.org} and ${has} and ${begins(text, beginning)}
        order by ${text} using ~<~ limit ${MAX_MATCHES})`,
    ),
  );
  const { rows } = await sql<NamedArtifact>`
    select distinct lower(found.filename) as sorted, found.filename as name, found.fingerprint, flow.name as flow_name
    from (${sql.join(matches, sql` union `)}) as found
    join flow on flow.org_id = ${ctx.org} and flow.id = found.flow_id and flow.archived_at is null
    order by sorted, flow.name, found.fingerprint, name limit ${limit}`.execute(ctx.db);
  return rows.map(({ fingerprint, name, flow_name }) => ({ fingerprint, name, flow_name }));
}

function holds(column: string, { words }: AskedNames): RawBuilder<SqlBool> {
  const parts = words.map((word) => sql<SqlBool>`strpos(lower(${sql.ref(column)}), lower(${word})) > 0`);
  return sql`(${sql.join(parts, sql` and `)})`;
}

/** 0 for names that begin with the whole search text, 1 for the rest. */
function isLater(column: string, { whole }: AskedNames): RawBuilder<number> {
  return sql`(case when starts_with(lower(${sql.ref(column)}), lower(${whole})) then 0 else 1 end)`;
}

function begins(column: RawBuilder<unknown>, whole: string): RawBuilder<SqlBool> {
  const escaped = whole.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return sql`${column} like lower(${escaped}) || '%'`;
}
