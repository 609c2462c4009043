import { CliError, usageError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';
import { apiAddress, askJson, basic, bearer } from '../ask-api.ts';
import {
  type Commit,
  type FindPullRequests,
  known,
  mergeCommitOf,
  type PullRequest,
  type Review,
  secondsOf,
} from './pull-request.ts';

const VERSION = 'api-version=7.1';

interface Identity {
  readonly uniqueName?: string;
  readonly displayName?: string;
}

interface Pull {
  readonly pullRequestId: number;
  readonly status: string;
  readonly title: string;
  readonly createdBy: Identity;
  readonly creationDate: string;
  readonly closedDate?: string;
  readonly sourceRefName: string;
  readonly targetRefName: string;
  readonly lastMergeCommit?: { readonly commitId: string };
  readonly reviewers?: readonly (Identity & { readonly vote: number })[];
  readonly repository?: { readonly name?: string };
}

interface PullCommit {
  readonly commitId: string;
  readonly comment: string;
  readonly author: { readonly name: string; readonly email: string; readonly date: string };
}

/** A vote of a reviewer, as in the documentation. */
const VOTES: Readonly<Record<number, string>> = {
  10: 'APPROVED',
  5: 'APPROVED_WITH_SUGGESTIONS',
  [-5]: 'WAITING_FOR_AUTHOR',
  [-10]: 'REJECTED',
};

export const findOnAzure: FindPullRequests = async (session, query) => {
  const { env } = session.io;
  const collection = query.apiUrl ?? env['SYSTEM_COLLECTIONURI'];
  const project = env['SYSTEM_TEAMPROJECT'];
  const repository = env['BUILD_REPOSITORY_ID'] ?? query.repository?.split('/').at(-1);
  if (!collection || !project || !repository) {
    throw usageError(
      'The repository is unknown',
      'Set SYSTEM_COLLECTIONURI, SYSTEM_TEAMPROJECT and BUILD_REPOSITORY_ID, as Azure Pipelines does',
    );
  }
  const site = `${apiAddress(collection, 'SYSTEM_COLLECTIONURI')}/${encodeURIComponent(project)}`;
  const base = `${site}/_apis/git/repositories/${encodeURIComponent(repository)}`;
  const pulls =
    query.number === undefined
      ? await pullsOf(session, base, query.commit)
      : [(await ask(session, `${base}/pullRequests/${encodeURIComponent(query.number)}?${VERSION}`)) as Pull];
  return Promise.all(
    pulls.map(async (pull) => {
      const { value = [] } = (await ask(
        session,
        `${base}/pullRequests/${pull.pullRequestId}/commits?$top=1000&${VERSION}`,
      )) as { value?: PullCommit[] };
      const place = `${site}/_git/${encodeURIComponent(pull.repository?.name ?? repository)}`;
      return pullRequestOf(pull, value, `${place}/pullrequest/${pull.pullRequestId}`);
    }),
  );
};

/** Those that contain the commit, and those whose merge it is. */
async function pullsOf(session: Session, base: string, commit: string): Promise<Pull[]> {
  const { results = [] } = (await ask(session, `${base}/pullrequestquery?${VERSION}`, {
    queries: [
      { items: [commit], type: 'commit' },
      { items: [commit], type: 'lastMergeCommit' },
    ],
  })) as { results?: Record<string, Pull[]>[] };
  const found = results.flatMap((result) => result[commit] ?? []);
  return [...new Map(found.map((pull) => [pull.pullRequestId, pull])).values()];
}

async function ask(session: Session, url: string, question?: unknown): Promise<unknown> {
  const { body } = await askJson(session, {
    service: 'Azure DevOps',
    url,
    headers: { authorization: authorization(session) },
    ...(question !== undefined && { method: 'POST' as const, body: question }),
  });
  return body;
}

function authorization({ io }: Session): string {
  const { AZURE_DEVOPS_EXT_PAT: personal, SYSTEM_ACCESSTOKEN: job } = io.env;
  if (personal) return basic('', personal);
  if (job) return bearer(job);
  throw new CliError('denied', 'No token for Azure DevOps', {
    fix: 'Map it into the step: env: { SYSTEM_ACCESSTOKEN: $(System.AccessToken) }',
  });
}

function pullRequestOf(pull: Pull, commits: readonly PullCommit[], url: string): PullRequest {
  const branch = withoutRefs(pull.sourceRefName);
  const reviews = (pull.reviewers ?? []).flatMap(reviewOf);
  const isCompleted = pull.status === 'completed';
  return {
    url,
    state: pull.status,
    ...known({
      title: pull.title,
      author: nameOf(pull.createdBy),
      created_at: secondsOf(pull.creationDate),
      merged_at: isCompleted ? secondsOf(pull.closedDate) : undefined,
      merge_commit: isCompleted ? mergeCommitOf(pull.lastMergeCommit?.commitId) : undefined,
      head_ref: branch,
      base_ref: withoutRefs(pull.targetRefName),
    }),
    approvers: reviews
      .filter(({ state }) => state.startsWith('APPROVED'))
      .map(({ username, state }) => ({ username, state })),
    reviews,
    commits: commits.map((commit) => commitOf(commit, branch)),
  };
}

function reviewOf(reviewer: Identity & { vote: number }): Review[] {
  const state = VOTES[reviewer.vote];
  return state === undefined ? [] : [{ username: nameOf(reviewer) ?? 'unknown', state }];
}

function commitOf({ commitId, comment, author }: PullCommit, branch: string): Commit {
  return {
    sha1: commitId,
    message: comment,
    author: `${author.name} <${author.email}>`,
    branch,
    ...known({ timestamp: secondsOf(author.date) }),
  };
}

function withoutRefs(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

function nameOf({ uniqueName, displayName }: Identity): string | undefined {
  return uniqueName ?? displayName;
}
