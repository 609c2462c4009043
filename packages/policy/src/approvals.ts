import type { Approver, PullRequestEvidence } from './evidence.ts';

const APPROVED = 'approved';
/** GitHub hides addresses as `1234+ada@users.noreply.github.com`, which has the account in it. */
const HIDDEN_ADDRESS = '@users.noreply.github.com';

/** Returns who approved a pull request, each once, and the others with the reason why they do not count. */
export interface Approvals {
  readonly counted: readonly string[];
  readonly discounted: readonly string[];
}

/**
 * Every listed pull request must be approved: an unreviewed one could hide behind another. Without any there is no
 * approval.
 */
export function fewestApprovals(pullRequests: readonly PullRequestEvidence[] | null): number {
  if (pullRequests === null || pullRequests.length === 0) return 0;
  return Math.min(...pullRequests.map(countApprovals));
}

function countApprovals(pullRequest: PullRequestEvidence): number {
  const authors = authorsOf(pullRequest);
  const people = new Set<string>();
  for (const approver of pullRequest.approvers) {
    const person = plain(approver.user);
    if (person !== '' && objectionTo(approver, pullRequest, authors) === null) people.add(person);
  }
  return people.size;
}

export function approvalsOf(pullRequest: PullRequestEvidence): Approvals {
  const authors = authorsOf(pullRequest);
  const counted = new Map<string, string>();
  const discounted = new Map<string, string>();
  for (const approver of pullRequest.approvers) {
    const person = plain(approver.user);
    if (person === '') continue;
    const objection = objectionTo(approver, pullRequest, authors);
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
): string | null {
  if (state !== '' && plain(state) !== APPROVED) return `did not approve (${state})`;
  // An author of the change could be the approver.
  if (authors.size === 0) return 'may be an author, because the authors are unknown';
  if (authors.has(plain(user))) return 'wrote part of it';
  if (commit === null || commit === '') return null;
  if (headCommit === null || headCommit === '') return 'approved one commit, but the latest commit is unknown';
  return plain(commit) === plain(headCommit) ? null : 'approved an earlier commit';
}

function authorsOf({ author, commitAuthors }: PullRequestEvidence): ReadonlySet<string> {
  const names = new Set<string>();
  if (author !== null) addNames(author, names);
  for (const commitAuthor of commitAuthors) addNames(commitAuthor, names);
  names.delete('');
  return names;
}

/** The author of a commit may read `Ada <ada@example.com>`: each of the names may be the one in a review. */
function addNames(author: string, names: Set<string>): void {
  const whole = plain(author);
  names.add(whole);
  const open = whole.lastIndexOf('<');
  if (open === -1 || !whole.endsWith('>')) return;
  const address = whole.slice(open + 1, -1).trim();
  names.add(whole.slice(0, open).trim());
  names.add(address);
  if (address.endsWith(HIDDEN_ADDRESS)) names.add(accountOf(address));
}

function accountOf(hiddenAddress: string): string {
  const local = hiddenAddress.slice(0, -HIDDEN_ADDRESS.length);
  return local.slice(local.indexOf('+') + 1);
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}
