import { CliError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';
import { apiAddress, askJson } from '../ask-api.ts';
import {
  type Commit,
  type FindPullRequests,
  known,
  mergeCommitOf,
  needRepository,
  type PullRequest,
  secondsOf,
} from './pull-request.ts';

const PER_PAGE = 100;
const MAX_PAGES = 10;

interface MergeRequest {
  readonly iid: number;
  readonly web_url: string;
  readonly state: string;
  readonly title: string;
  readonly author: { readonly username: string } | null;
  readonly created_at: string;
  readonly merged_at: string | null;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha?: string | null;
  readonly source_branch: string;
  readonly target_branch: string;
}

interface Approvals {
  readonly approved_by?: readonly { readonly user: { readonly username: string }; readonly approved_at?: string }[];
}

interface MergeCommit {
  readonly id: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly authored_date?: string;
  readonly created_at: string;
  readonly web_url?: string;
  readonly parent_ids?: readonly string[];
}

export const findOnGitlab: FindPullRequests = async (session, query) => {
  const { env } = session.io;
  const api = query.apiUrl ?? env['CI_API_V4_URL'] ?? 'https://gitlab.com/api/v4';
  const project = encodeURIComponent(env['CI_PROJECT_ID'] || needRepository(query));
  const base = `${apiAddress(api, 'CI_API_V4_URL')}/projects/${project}`;
  const ask = <T>(path: string) => allPages<T>(session, `${base}${path}`);
  const requests =
    query.number === undefined
      ? await ask<MergeRequest>(`/repository/commits/${query.commit}/merge_requests`)
      : await ask<MergeRequest>(`/merge_requests/${encodeURIComponent(query.number)}`);
  return Promise.all(
    requests.map(async (request) => {
      const [approvals = {}] = await ask<Approvals>(`/merge_requests/${request.iid}/approvals`);
      const commits = await ask<MergeCommit>(`/merge_requests/${request.iid}/commits`);
      return pullRequestOf(request, approvals, commits);
    }),
  );
};

/** A job token has few permissions. A project or personal token takes precedence. */
function tokenHeader({ io }: Session): Record<string, string> {
  const { GITLAB_TOKEN: own, CI_JOB_TOKEN: job } = io.env;
  if (own) return { 'private-token': own };
  if (job) return { 'job-token': job };
  throw new CliError('denied', 'No token for GitLab', {
    fix: 'Set GITLAB_TOKEN to a project access token with the scope read_api',
  });
}

async function allPages<T>(session: Session, url: string): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { body } = await askJson(session, {
      service: 'GitLab',
      url: `${url}?per_page=${PER_PAGE}&page=${page}`,
      headers: tokenHeader(session),
    });
    if (!Array.isArray(body)) return [body as T];
    items.push(...(body as T[]));
    if (body.length < PER_PAGE) break;
  }
  return items;
}

function pullRequestOf(request: MergeRequest, approvals: Approvals, commits: readonly MergeCommit[]): PullRequest {
  return {
    url: request.web_url,
    state: request.state,
    ...known({
      title: request.title,
      author: request.author?.username,
      created_at: secondsOf(request.created_at),
      merged_at: secondsOf(request.merged_at),
      merge_commit: mergeCommitOf(request.merge_commit_sha ?? request.squash_commit_sha),
      head_ref: request.source_branch,
      base_ref: request.target_branch,
    }),
    approvers: (approvals.approved_by ?? []).map(({ user, approved_at }) => ({
      username: user.username,
      state: 'APPROVED',
      ...known({ timestamp: secondsOf(approved_at) }),
    })),
    commits: commits.map((commit) => commitOf(commit, request.source_branch)),
  };
}

function commitOf(commit: MergeCommit, branch: string): Commit {
  return {
    sha1: commit.id,
    message: commit.message,
    author: `${commit.author_name} <${commit.author_email}>`,
    branch,
    ...known({
      timestamp: secondsOf(commit.authored_date ?? commit.created_at),
      url: commit.web_url,
      parents: commit.parent_ids && [...commit.parent_ids],
    }),
  };
}
