import type { Selectable } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Tables } from '../../../platform/db/tables.ts';

const REPOSITORIES_MAX = 100;

/** The provenance of what is exported. */
export interface ExportProvenance {
  readonly description: string;
  readonly begunAt: Date;
  readonly begunBy: string;
  readonly commit: string | null;
  readonly branch: string | null;
  readonly repositories: readonly { readonly name: string; readonly url: string }[];
}

type TrailRow = Pick<
  Selectable<Tables['trail']>,
  'description' | 'created_at' | 'created_by' | 'commit_sha' | 'branch' | 'repository_id'
>;

/** An artifact may be of another commit than its trail, and of another repository. */
export async function readExportProvenance(
  ctx: Ctx,
  trail: TrailRow,
  built: { commit_sha: string | null; branch: string | null },
  repositoryIds: readonly (string | null)[],
): Promise<ExportProvenance> {
  return {
    description: trail.description,
    begunAt: trail.created_at,
    begunBy: trail.created_by,
    commit: built.commit_sha,
    branch: built.branch,
    repositories: await listRepositories(
      ctx,
      repositoryIds.filter((id) => id !== null),
    ),
  };
}

async function listRepositories(ctx: Ctx, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return ctx.db
    .selectFrom('repository')
    .select(['name', 'url'])
    .where('org_id', '=', ctx.org)
    .where('id', 'in', ids)
    .orderBy('name')
    .limit(REPOSITORIES_MAX)
    .execute();
}
