import { CliError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';
import { apiAddress, askJson, basic, bearer } from '../ask-api.ts';
import {
  type Commit,
  type FindPullRequests,
  known,
  mergeCommitOf,
  needRepository,
  type PullRequest,
  secondsOf,
} from './pull-request.ts';

const MAX_PAGES = 20;

interface Person {
  readonly nickname?: string;
  readonly display_name?: string;
}

interface Pull {
  readonly id: number;
  readonly title: string;
  readonly state: string;
  readonly author: Person | null;
  readonly created_on: string;
  readonly merge_commit: { readonly hash: string } | null;
  readonly source: { readonly branch: { readonly name: string } };
  readonly destination: { readonly branch: { readonly name: string } };
  readonly links: { readonly html: { readonly href: string } };
  readonly participants?: readonly {
    readonly user: Person;
    readonly approved: boolean;
    readonly participated_on: string | null;
  }[];
}

interface PullCommit {
  readonly hash: string;
  readonly message: string;
  readonly date: string;
  readonly author: { readonly raw: string; readonly user?: Person };
  readonly links?: { readonly html?: { readonly href: string } };
  readonly parents?: readonly { readonly hash: string }[];
}

export const findOnBitbucket: FindPullRequests = async (session, query) => {
  const base = apiAddress(query.apiUrl ?? 'https://api.bitbucket.org/2.0', '--api-url');
  const repository = `${base}/repositories/${needRepository(query)}`;
  const ids =
    query.number === undefined
      ? (await allPages<{ id: number }>(session, `${repository}/commit/${query.commit}/pullrequests`)).map(
          ({ id }) => id,
        )
      : [query.number];
  return Promise.all(
    ids.map(async (id) => {
      const address = `${repository}/pullrequests/${encodeURIComponent(id)}`;
      const { body } = await ask(session, address);
      return pullRequestOf(body as Pull, await allPages<PullCommit>(session, `${address}/commits`));
    }),
  );
};

function authorization({ io }: Session): string {
  const { BITBUCKET_TOKEN: token, BITBUCKET_USERNAME: user, BITBUCKET_APP_PASSWORD: password } = io.env;
  if (token) return user ? basic(user, token) : bearer(token);
  if (user && password) return basic(user, password);
  throw new CliError('denied', 'No token for Bitbucket', {
    fix: 'Set BITBUCKET_TOKEN to a repository access token that can read pull requests',
  });
}

function ask(session: Session, url: string) {
  return askJson(session, { service: 'Bitbucket', url, headers: { authorization: authorization(session) } });
}

async function allPages<T>(session: Session, first: string): Promise<T[]> {
  const items: T[] = [];
  let url: string | undefined = first;
  for (let page = 1; url !== undefined && page <= MAX_PAGES; page++) {
    const { body } = await ask(session, url);
    const { values = [], next } = body as { values?: T[]; next?: string };
    items.push(...values);
    // The token goes to the configured host only, whatever the response links to.
    url = next !== undefined && new URL(next).origin === new URL(first).origin ? next : undefined;
  }
  return items;
}

function pullRequestOf(pull: Pull, commits: readonly PullCommit[]): PullRequest {
  return {
    url: pull.links.html.href,
    state: pull.state,
    ...known({
      title: pull.title,
      author: nameOf(pull.author),
      created_at: secondsOf(pull.created_on),
      merge_commit: mergeCommitOf(pull.merge_commit?.hash),
      head_ref: pull.source.branch.name,
      base_ref: pull.destination.branch.name,
    }),
    approvers: (pull.participants ?? [])
      .filter(({ approved }) => approved)
      .map(({ user, participated_on }) => ({
        username: nameOf(user) ?? 'unknown',
        state: 'APPROVED',
        ...known({ timestamp: secondsOf(participated_on) }),
      })),
    commits: commits.map((commit) => commitOf(commit, pull.source.branch.name)),
  };
}

function commitOf(commit: PullCommit, branch: string): Commit {
  return {
    sha1: commit.hash,
    message: commit.message,
    author: commit.author.raw,
    branch,
    ...known({
      author_username: nameOf(commit.author.user ?? null),
      timestamp: secondsOf(commit.date),
      url: commit.links?.html?.href,
      parents: commit.parents?.map(({ hash }) => hash),
    }),
  };
}

function nameOf(person: Person | null): string | undefined {
  return person?.nickname ?? person?.display_name;
}
