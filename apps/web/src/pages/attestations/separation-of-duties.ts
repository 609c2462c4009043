import type { PullRequest } from './evidence.ts';

/** Whether somebody else than those who wrote a change approved it. */
export interface Duties {
  readonly authors: readonly string[];
  readonly approvers: readonly string[];
  /** Those who approved and wrote none of it. */
  readonly independent: readonly string[];
  readonly verdict: 'separate' | 'same' | 'unapproved' | 'unknown';
  readonly sentence: string;
}

const APPROVED = /^approved?$/i;

export function dutiesOf(pullRequest: PullRequest): Duties {
  const authors = distinct([
    pullRequest.author,
    ...(pullRequest.commits ?? []).map(({ author_username, author }) => author_username || author),
  ]);
  const approvers = distinct([
    ...(pullRequest.approvers ?? []).filter(isApproval).map((one) => (typeof one === 'string' ? one : one.username)),
    ...(pullRequest.reviews ?? []).filter(({ state }) => APPROVED.test(state)).map(({ username }) => username),
  ]);
  const wrote = new Set(authors.map(plain));
  const independent = approvers.filter((name) => !wrote.has(plain(name)));
  return { authors, approvers, independent, ...judge(authors, approvers, independent) };
}

function judge(
  authors: readonly string[],
  approvers: readonly string[],
  independent: readonly string[],
): Pick<Duties, 'verdict' | 'sentence'> {
  if (approvers.length === 0) return { verdict: 'unapproved', sentence: 'Nobody approved it.' };
  if (authors.length === 0)
    return { verdict: 'unknown', sentence: `${listed(approvers)} approved it; who wrote it was not reported.` };
  if (independent.length === 0)
    return { verdict: 'same', sentence: `Only ${listed(approvers)} approved it, and also wrote it.` };
  return {
    verdict: 'separate',
    sentence: `${listed(independent)} approved it and wrote none of it; it was written by ${listed(authors)}.`,
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
