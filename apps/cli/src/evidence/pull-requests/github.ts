import { CliError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';
import { apiAddress, askJson, bearer } from '../ask-api.ts';
import {
  approversIn,
  type Commit,
  type FindPullRequests,
  known,
  mergeCommitOf,
  needRepository,
  type PullRequest,
  type Review,
  secondsOf,
} from './pull-request.ts';

const PER_PAGE = 100;
const MAX_PAGES = 10;

interface Pull {
  readonly number: number;
  readonly html_url: string;
  readonly state: string;
  readonly title: string;
  readonly user: { readonly login: string } | null;
  readonly merged_at: string | null;
  readonly created_at: string;
  readonly merge_commit_sha: string | null;
  readonly head: { readonly ref: string };
  readonly base: { readonly ref: string };
}

interface PullReview {
  readonly user: { readonly login: string } | null;
  readonly state: string;
  readonly submitted_at?: string;
  readonly commit_id: string | null;
}

interface PullCommit {
  readonly sha: string;
  readonly html_url: string;
  readonly author: { readonly login?: string } | null;
  readonly parents: readonly { readonly sha: string }[];
  readonly commit: {
    readonly message: string;
    readonly author: { readonly name: string; readonly email: string; readonly date: string } | null;
    readonly verification?: { readonly verified: boolean; readonly reason: string };
  };
}

/** By the REST API, with the token of the job. */
export const findOnGithub: FindPullRequests = async (session, query) => {
  const repository = needRepository(query);
  const { env } = session.io;
  const base = apiAddress(query.apiUrl ?? env['GITHUB_API_URL'] ?? 'https://api.github.com', 'GITHUB_API_URL');
  const token = env['GITHUB_TOKEN'] || env['GH_TOKEN'];
  if (!token) {
    throw new CliError('denied', 'No token for GitHub', {
      fix: 'Set GITHUB_TOKEN; in a workflow: env: { GITHUB_TOKEN: ${{ github.token }} } with pull-requests: read',
    });
  }
  const ask = <T>(path: string) => allPages<T>(session, `${base}/repos/${repository}${path}`, token);
  const pulls =
    query.number === undefined
      ? await ask<Pull>(`/commits/${query.commit}/pulls`)
      : await ask<Pull>(`/pulls/${encodeURIComponent(query.number)}`);
  return Promise.all(
    pulls.map(async (pull) => {
      const reviews = await ask<PullReview>(`/pulls/${pull.number}/reviews`);
      const commits = await ask<PullCommit>(`/pulls/${pull.number}/commits`);
      return pullRequestOf(
        pull,
        reviews.map(reviewOf),
        commits.map((commit) => commitOf(commit, pull.head.ref)),
      );
    }),
  );
};

/** A single object is a list of one. */
async function allPages<T>(session: Session, url: string, token: string): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { body } = await askJson(session, {
      service: 'GitHub',
      url: `${url}?per_page=${PER_PAGE}&page=${page}`,
      headers: {
        authorization: bearer(token),
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
      },
    });
    if (!Array.isArray(body)) return [body as T];
    items.push(...(body as T[]));
    if (body.length < PER_PAGE) break;
  }
  return items;
}

function pullRequestOf(pull: Pull, reviews: Review[], commits: Commit[]): PullRequest {
  const isMerged = pull.merged_at !== null;
  return {
    url: pull.html_url,
    state: isMerged ? 'MERGED' : pull.state.toUpperCase(),
    ...known({
      title: pull.title,
      author: pull.user?.login,
      created_at: secondsOf(pull.created_at),
      merged_at: secondsOf(pull.merged_at),
      // Before the merge this is a temporary test merge by GitHub.
      merge_commit: isMerged ? mergeCommitOf(pull.merge_commit_sha) : undefined,
      head_ref: pull.head.ref,
      base_ref: pull.base.ref,
    }),
    approvers: approversIn(reviews, 'APPROVED'),
    reviews,
    commits,
  };
}

function reviewOf({ user, state, submitted_at, commit_id }: PullReview): Review {
  return {
    username: user?.login ?? 'ghost',
    state,
    ...known({ timestamp: secondsOf(submitted_at), commit_sha: commit_id ?? undefined }),
  };
}

function commitOf({ sha, html_url, author, parents, commit }: PullCommit, branch: string): Commit {
  return {
    sha1: sha,
    message: commit.message,
    branch,
    url: html_url,
    parents: parents.map((parent) => parent.sha),
    ...known({
      author: commit.author ? `${commit.author.name} <${commit.author.email}>` : undefined,
      author_username: author?.login,
      timestamp: secondsOf(commit.author?.date),
      verified: commit.verification?.verified,
      signature_state: commit.verification?.reason.toUpperCase(),
    }),
  };
}
