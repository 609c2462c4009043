import { statement } from '../../../platform/db/statement.ts';
import { type CommitPage, commitPageOf } from './diff-url-view.ts';
import { cachedFacts } from './fact-cache.ts';

/** What a snapshot shows of the report of a replaced artifact: less than of one that runs. */
export interface PriorFacts {
  readonly flowId: string;
  readonly commitPage: CommitPage | undefined;
  /** JSON members, serialized once. */
  readonly previousText: string;
}

interface PriorRow {
  readonly id: string;
  readonly flow_id: string;
  readonly trail_name: string;
  readonly template_name: string | null;
  readonly commit_sha: string | null;
  readonly commit_url: string;
}

const listPriorFacts = statement<{ org_id: string; ids: readonly string[] }, PriorRow>(
  'list_prior_facts',
  `select artifact.id, artifact.flow_id, trail.name as trail_name, artifact.template_name, artifact.commit_sha,
     artifact.commit_url
   from artifact join trail on trail.org_id = artifact.org_id and trail.id = artifact.trail_id
   where artifact.org_id = :org_id and artifact.id = any(:ids::uuid[])`,
);

const CACHE_SIZE = 40_000;

/** Keyed by id, which is unique across orgs. */
export const readPriorFacts = cachedFacts<PriorFacts>({
  size: CACHE_SIZE,
  read: async (ctx, ids) => {
    const rows = await listPriorFacts(ctx.db, { org_id: ctx.org, ids });
    return rows.map((row) => [row.id, toFacts(row)] as const);
  },
});

function toFacts(row: PriorRow): PriorFacts {
  return {
    flowId: row.flow_id,
    commitPage: commitPageOf(row.commit_url),
    previousText: previousText(row.commit_sha ?? '', row.commit_url, row.trail_name, row.template_name),
  };
}

/** Members of a `DeploymentDiff` about the report of the replaced artifact. */
export function previousText(commit: string, commitUrl: string, trail: string, template: string | null): string {
  const members = {
    previous_git_commit: commit,
    previous_git_commit_url: commitUrl,
    previous_trail_name: trail,
    previous_template_reference_name: template ?? '',
  };
  return JSON.stringify(members).slice(1, -1);
}
