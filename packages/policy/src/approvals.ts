import type { Approver, PullRequestEvidence } from './evidence.ts';
import { namesIn, plain } from './names-of-people.ts';

const APPROVED = 'approved';

/** People besides the authors of a pull request whose approval does not count, by plain name. */
export type Barred = (pullRequest: PullRequestEvidence) => ReadonlySet<string>;

const NONE: ReadonlySet<string> = new Set();
export const barsNobody: Barred = () => NONE;

/** Returns who approved a pull request, each once, and the others with the reason why they do not count. */
export interface Approvals {
  readonly counted: readonly string[];
  readonly discounted: readonly string[];
}

/**
 * Every listed pull request must be approved: an unreviewed one could hide behind another. Without any there is no
 * approval.
 */
export function fewestApprovals(pullRequests: readonly PullRequestEvidence[] | null, barredIn = barsNobody): number {
  if (pullRequests === null || pullRequests.length === 0) return 0;
  return Math.min(...pullRequests.map((pullRequest) => countApprovals(pullRequest, barredIn(pullRequest))));
}

function countApprovals(pullRequest: PullRequestEvidence, barred: ReadonlySet<string>): number {
  const authors = authorsOf(pullRequest);
  const people = new Set<string>();
  for (const approver of pullRequest.approvers) {
    const person = plain(approver.user);
    if (person !== '' && objectionTo(approver, pullRequest, authors, barred) === null) people.add(person);
  }
  return people.size;
}

export function approvalsOf(pullRequest: PullRequestEvidence, barredIn = barsNobody): Approvals {
  const authors = authorsOf(pullRequest);
  const barred = barredIn(pullRequest);
  const counted = new Map<string, string>();
  const discounted = new Map<string, string>();
  for (const approver of pullRequest.approvers) {
    const person = plain(approver.user);
    if (person === '') continue;
    const objection = objectionTo(approver, pullRequest, authors, barred);
    if (objection === null) counted.set(person, counted.get(person) ?? approver.user);
    else discounted.set(person, discounted.get(person) ?? `${approver.user} ${objection}`);
  }
  for (const person of counted.keys()) discounted.delete(person);
  return { counted: [...counted.values()].toSorted(), discounted: [...discounted.values()].toSorted() };
}

function objectionTo(
  { user, commit, state }: Approver,
  { headCommit }: PullRequestEvidence,
  authors: ReadonlySet<string>,
  barred: ReadonlySet<string>,
): string | null {
  if (state !== '' && plain(state) !== APPROVED) return `did not approve (${state})`;
  // An author of the change could be the approver.
  if (authors.size === 0) return 'may be an author, because the authors are unknown';
  if (authors.has(plain(user))) return 'wrote part of it';
  if (barred.has(plain(user))) return 'wrote or committed what was built';
  if (commit === null || commit === '') return null;
  if (headCommit === null || headCommit === '') return 'approved one commit, but the latest commit is unknown';
  return plain(commit) === plain(headCommit) ? null : 'approved an earlier commit';
}

function authorsOf({ author, commitAuthors }: PullRequestEvidence): ReadonlySet<string> {
  return namesIn(author === null ? commitAuthors : [author, ...commitAuthors]);
}
