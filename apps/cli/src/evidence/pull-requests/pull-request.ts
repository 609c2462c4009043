import type { CallInput } from '@waymark/client';
import type { attestPullRequest } from '@waymark/contract';
import { usageError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';

type Body = CallInput<typeof attestPullRequest>['body'];
export type PullRequest = Body['pull_requests'][number];
export type Review = NonNullable<PullRequest['reviews']>[number];
export type Commit = NonNullable<PullRequest['commits']>[number];

/** Which pull requests to find. */
export interface PullRequestQuery {
  readonly commit: string;
  /** The pull request that is built, which needs no search. */
  readonly number: string | undefined;
  /** Owner and name; `undefined` where the provider uses something else. */
  readonly repository: string | undefined;
  /** Base URL of the API, if given. */
  readonly apiUrl: string | undefined;
}

export type FindPullRequests = (session: Session, query: PullRequestQuery) => Promise<PullRequest[]>;

export function needRepository({ repository }: PullRequestQuery): string {
  if (repository !== undefined && /^[^/\s]+(\/[^/\s]+)+$/.test(repository)) return repository;
  throw usageError('The repository of the pull request is unknown', 'Add --repository OWNER/NAME');
}

/** Seconds since 1970, if it is a time. */
export function secondsOf(time: unknown): number | undefined {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? undefined : at / 1000;
}

/** The newest review of each person, where it is an approval. */
export function approversIn(reviews: readonly Review[], approved: string): NonNullable<PullRequest['approvers']> {
  const latest = new Map<string, Review>();
  for (const review of reviews) if (decides(review)) latest.set(review.username, review);
  return [...latest.values()]
    .filter(({ state }) => state === approved)
    .map(({ username, state, timestamp }) => ({ username, state, timestamp: timestamp ?? null }));
}

/** A comment after an approval does not withdraw it. */
function decides({ state }: Review): boolean {
  return state !== 'COMMENTED' && state !== 'PENDING';
}

/** Leaves out unknown values: absent is not the same as empty. */
export function known<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== null)) as never;
}

/** Git hosts may return abbreviated hashes. */
export function mergeCommitOf(sha: unknown): string | undefined {
  return typeof sha === 'string' && sha !== '' ? sha : undefined;
}
