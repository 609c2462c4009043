import type { ChangedBy } from '@waymark/policy';

/** What names the people behind a commit. Reporters may send more members than are documented, of any shape. */
export interface SentCommit {
  readonly sha1?: string;
  readonly author?: unknown;
  readonly author_username?: unknown;
  readonly committer?: unknown;
  readonly committer_username?: unknown;
}

/** The part of the report of an artifact that names commits. */
export interface SentChange {
  readonly git_commit_info?: SentCommit | null;
  readonly commits_list?: readonly SentCommit[] | null;
}

const PEOPLE_MAX = 1_000;

/** Returns who wrote and committed what was built, those of the built commit first. */
export function changedBy(
  { git_commit_info: commit, commits_list: others }: SentChange,
  ofTrail: SentCommit | null,
  builtCommit: string | null,
): ChangedBy {
  const isSame = ofTrail !== null && (builtCommit === null || ofTrail.sha1 === builtCommit);
  const commits = [...(commit ? [commit] : []), ...(isSame ? [ofTrail] : []), ...(others ?? [])];
  return {
    authors: distinct(commits.flatMap((one) => [...namesOf(one.author), ...namesOf(one.author_username)])),
    committers: distinct(committersOf(commits)),
  };
}

export function committersOf(commits: readonly SentCommit[]): string[] {
  return distinct(commits.flatMap((one) => [...namesOf(one.committer), ...namesOf(one.committer_username)]));
}

/** Git hosts send an object with the parts of the name. */
function namesOf(sent: unknown): string[] {
  if (typeof sent === 'string') return sent.trim() === '' ? [] : [sent];
  if (typeof sent !== 'object' || sent === null) return [];
  const { name, email, login, username } = sent as Readonly<Record<string, unknown>>;
  return [name, email, login, username].flatMap((part) => (typeof part === 'string' ? namesOf(part) : []));
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].slice(0, PEOPLE_MAX);
}
