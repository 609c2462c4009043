import type { PullRequest } from './evidence.ts';

/** Whether a change was approved by somebody who did not write it. */
export interface Duties {
  readonly authors: readonly string[];
  readonly approvers: readonly string[];
  /** Approvers who wrote none of it. */
  readonly independent: readonly string[];
  readonly verdict: 'separate' | 'same' | 'unapproved' | 'unknown';
  readonly summary: string;
}

const APPROVED = /^approved?$/i;

export function dutiesOf(pullRequest: PullRequest): Duties {
  const commits = pullRequest.commits ?? [];
  const accounts = distinct([pullRequest.author, ...commits.map(({ author_username }) => author_username)]);
  const authors = distinct([...accounts, ...commits.map(({ author_username, author }) => author_username || author)]);
  const approvers = distinct(approversOf(pullRequest));
  const wrote = new Set(authors.map(plain));
  const independent = approvers.filter((name) => !wrote.has(plain(name)));
  const nameOnly = authors.slice(accounts.length);
  return { authors, approvers, independent, ...judge({ authors, approvers, independent, nameOnly }) };
}

/** As the server reads it: if there are reviews, they alone decide who approved. */
function approversOf({ approvers, reviews }: PullRequest): string[] {
  if (reviews?.length)
    return lastWords(reviews)
      .filter(({ state }) => APPROVED.test(state))
      .map(({ username }) => username);
  return (approvers ?? []).filter(isApproval).map((one) => (typeof one === 'string' ? one : one.username));
}

type Review = NonNullable<PullRequest['reviews']>[number];

/** The last review of each person counts: an approval can be withdrawn. A comment withdraws nothing. */
function lastWords(reviews: readonly Review[]): Review[] {
  const last = new Map<string, Review>();
  for (const review of inTime(reviews)) {
    const person = plain(review.username);
    if (!(plain(review.state) === 'commented' && last.has(person))) last.set(person, review);
  }
  return [...last.values()];
}

/** In the given order, unless all have a time. */
function inTime(reviews: readonly Review[]): readonly Review[] {
  if (reviews.some(({ timestamp }) => timestamp == null)) return reviews;
  return reviews.toSorted((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
}

interface People extends Pick<Duties, 'authors' | 'approvers' | 'independent'> {
  /** Authors known only by the name in a commit, which cannot be compared with an account. */
  readonly nameOnly: readonly string[];
}

function judge({ authors, approvers, independent, nameOnly }: People): Pick<Duties, 'verdict' | 'summary'> {
  if (approvers.length === 0) return { verdict: 'unapproved', summary: 'No one approved it.' };
  if (authors.length === 0)
    return { verdict: 'unknown', summary: `${listed(approvers)} approved it; its author was not reported.` };
  if (independent.length === 0)
    return { verdict: 'same', summary: `Only ${listed(approvers)} approved it, and also wrote it.` };
  if (nameOnly.length > 0)
    return {
      verdict: 'unknown',
      summary: `${listed(independent)} approved it; the account of ${listed(nameOnly)}, who wrote it, was not reported.`,
    };
  return {
    verdict: 'separate',
    summary: `${listed(independent)} approved it and did not write any of it; it was written by ${listed(authors)}.`,
  };
}

/** Without a state, being named as an approver is the approval. */
function isApproval(person: NonNullable<PullRequest['approvers']>[number]): boolean {
  return typeof person === 'string' || !person.state || APPROVED.test(person.state);
}

function plain(name: string): string {
  return name.trim().toLowerCase();
}

function distinct(names: readonly (string | null | undefined)[]): string[] {
  const known = new Map<string, string>();
  for (const name of names) if (name && !known.has(plain(name))) known.set(plain(name), name);
  return [...known.values()];
}

export function listed(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? 'nobody';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
