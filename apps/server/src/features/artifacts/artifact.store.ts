import { TRAIL_ARTIFACTS_MAX } from '@waymark/contract';
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type ArtifactRow = Selectable<Tables['artifact']>;

/** Returns its receipt. */
export async function insertArtifact(db: Db, artifact: Insertable<Tables['artifact']>): Promise<number> {
  const { receipt } = await db.insertInto('artifact').values(artifact).returning('receipt').executeTakeFirstOrThrow();
  return receipt;
}

interface ReportedAs {
  readonly [param: string]: string | null;
  readonly org_id: string;
  readonly trail_id: string;
  readonly fingerprint: string;
  readonly template_name: string | null;
  readonly commit_sha: string | null;
}

const isFullOf = statement<ReportedAs, { is_full: boolean }>(
  'is_trail_full',
  `select exists (
       select from artifact where org_id = :org_id::uuid and trail_id = :trail_id::uuid
       order by receipt offset ${TRAIL_ARTIFACTS_MAX - 1} limit 1)
     and not exists (
       select from artifact where org_id = :org_id::uuid and trail_id = :trail_id::uuid
         and fingerprint = :fingerprint and template_name is not distinct from :template_name::text
         and commit_sha is not distinct from :commit_sha::text)
     and ${TRAIL_ARTIFACTS_MAX} <= (
       select count(*) from (
         select distinct fingerprint, template_name, commit_sha from artifact
         where org_id = :org_id::uuid and trail_id = :trail_id::uuid) as reported) as is_full`,
);

/** Returns whether a trail is full for an artifact that is new to it. */
export async function isFull(db: Db, reportedAs: ReportedAs): Promise<boolean> {
  const [row] = await isFullOf(db, reportedAs);
  return row?.is_full ?? false;
}

/** The newest report of an artifact in a flow. */
export function findNewest(
  db: Db,
  org: string,
  flowId: string,
  fingerprint: string,
  trailId: string | undefined,
): Promise<ArtifactRow | undefined> {
  let query = db
    .selectFrom('artifact')
    .selectAll()
    .where('org_id', '=', org)
    .where('fingerprint', '=', fingerprint)
    .where('flow_id', '=', flowId);
  if (trailId) query = query.where('trail_id', '=', trailId);
  return query.orderBy('receipt', 'desc').limit(1).executeTakeFirst();
}

export function listOfCommit(
  db: Db,
  org: string,
  flowId: string,
  commit: string,
  trailId: string | undefined,
): Promise<ArtifactRow[]> {
  let query = db
    .selectFrom('artifact')
    .selectAll()
    .where('org_id', '=', org)
    .where('commit_sha', '=', commit)
    .where('flow_id', '=', flowId);
  if (trailId) query = query.where('trail_id', '=', trailId);
  return query.orderBy('receipt', 'desc').limit(100).execute();
}

/** The commit of the artifact that was reported into the flow before the first report of this one. */
export async function findCommitBefore(
  db: Db,
  org: string,
  flowId: string,
  fingerprint: string,
  branch: string | undefined,
): Promise<string | undefined> {
  const before = sql<SqlBool>`receipt < coalesce((
    select min(receipt) from artifact
    where org_id = ${org} and fingerprint = ${fingerprint} and flow_id = ${flowId}), 9223372036854775807)`;
  let query = db
    .selectFrom('artifact')
    .select('commit_sha')
    .where('org_id', '=', org)
    .where('flow_id', '=', flowId)
    .where('commit_sha', 'is not', null)
    .where(before);
  if (branch !== undefined) query = query.where('branch', '=', branch);
  const row = await query.orderBy('receipt', 'desc').limit(1).executeTakeFirst();
  return row?.commit_sha ?? undefined;
}

/** Every report of an artifact into a flow, newest first. */
export function listReports(db: Db, org: string, flowId: string, fingerprint: string): Promise<ArtifactRow[]> {
  return db
    .selectFrom('artifact')
    .selectAll()
    .where('org_id', '=', org)
    .where('fingerprint', '=', fingerprint)
    .where('flow_id', '=', flowId)
    .orderBy('receipt', 'desc')
    .limit(100)
    .execute();
}

/** Ordered by their first report in the flow. */
export async function listById(db: Db, org: string, ids: readonly string[]): Promise<ArtifactRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ArtifactRow>`
    select artifact.* from artifact
    cross join lateral (
      select min(receipt) as receipt from artifact as earlier
      where earlier.org_id = ${org} and earlier.fingerprint = artifact.fingerprint
        and earlier.flow_id = artifact.flow_id
    ) as first
    where artifact.org_id = ${org} and artifact.id = any(${ids}::uuid[])
    order by first.receipt`.execute(db);
  return rows;
}
