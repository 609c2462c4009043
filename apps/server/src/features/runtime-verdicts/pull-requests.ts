import type { Approver, PullRequestEvidence } from '@waymark/policy';
import { committersOf } from './changed-by.ts';

/** The part of a pull request that shows who approved what. Its shape was checked when it was sent. */
interface SentPullRequest {
  readonly url: string;
  readonly author?: string | null;
  readonly approvers?: readonly (string | { username: string; state?: string | null })[] | null;
  readonly reviews?: readonly SentReview[] | null;
  readonly commits?: readonly SentCommit[] | null;
}

interface SentReview {
  readonly username: string;
  readonly state: string;
  readonly timestamp?: number | null;
  readonly commit_sha?: string | null;
}

interface SentCommit {
  readonly sha1: string;
  readonly author?: string | null;
  readonly author_username?: string | null;
  readonly timestamp?: number | null;
  readonly committer?: unknown;
  readonly committer_username?: unknown;
}

/** The content of an attestation of pull requests. */
export interface SentPullRequests {
  readonly pull_requests?: readonly SentPullRequest[] | null;
}

/** `hasCommitters` is false for what was recorded before committers were read: its evidence stays as it was. */
export function pullRequestsOf(
  { pull_requests: sent }: SentPullRequests,
  hasCommitters = false,
): PullRequestEvidence[] {
  return (sent ?? []).map((pullRequest) => toEvidence(pullRequest, hasCommitters));
}

function toEvidence(
  { url, author, approvers, reviews, commits }: SentPullRequest,
  hasCommitters: boolean,
): PullRequestEvidence {
  const committers = hasCommitters ? committersOf(commits ?? []) : [];
  return {
    url,
    author: author ?? null,
    headCommit: headOf(commits ?? [])?.sha1 ?? null,
    commitAuthors: [
      ...new Set((commits ?? []).flatMap(({ author, author_username: user }) => [author ?? [], user ?? []].flat())),
    ],
    ...(committers.length > 0 && { committers }),
    approvers: reviews?.length ? lastWords(reviews).map(toReviewer) : (approvers ?? []).map(toApprover),
  };
}

/** Returns the newest commit. Providers list commits in either order; without times it is the last in the list. */
function headOf(commits: readonly SentCommit[]): SentCommit | undefined {
  return inTime(commits).at(-1);
}

/** Sorts by time if every item has one; else keeps the order of the list. */
function inTime<T extends { readonly timestamp?: number | null }>(items: readonly T[]): readonly T[] {
  if (items.some(({ timestamp }) => timestamp == null)) return items;
  return items.toSorted((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
}

/** Returns the last review of each person: an approval may be revoked. A comment revokes nothing. */
function lastWords(reviews: readonly SentReview[]): SentReview[] {
  const last = new Map<string, SentReview>();
  for (const review of inTime(reviews)) {
    const person = review.username.trim().toLowerCase();
    const isComment = review.state.trim().toUpperCase() === 'COMMENTED';
    if (!(isComment && last.has(person))) last.set(person, review);
  }
  return [...last.values()];
}

function toReviewer(review: SentReview): Approver {
  return { user: review.username, commit: review.commit_sha ?? null, state: review.state };
}

function toApprover(person: string | { username: string; state?: string | null }): Approver {
  return typeof person === 'string'
    ? { user: person, commit: null, state: '' }
    : { user: person.username, commit: null, state: person.state ?? '' };
}
