import type { Known } from './ci-context.ts';
import type { Reader } from './reader.ts';

const FULL = /^[0-9a-f]{40}$/;
const SHORT = /^[0-9a-f]{5,39}$/;
const NONE = '0'.repeat(40);

/** Returns the full commit. A short hash or `HEAD` is resolved by git, and left out when git cannot. */
export function commitFrom(reader: Reader, known: Known<string> | undefined): Known<string> | undefined {
  if (!known) return undefined;
  const value = known.value.toLowerCase();
  if (FULL.test(value) && value !== NONE) return { ...known, value };
  if (!SHORT.test(value) && known.value !== 'HEAD') {
    reader.note(`${known.source} is not a commit of git (40 hexadecimal digits) and was left out`);
    return undefined;
  }
  const resolved = commitOf(reader, known.value, `${known.source}, git rev-parse`);
  if (!resolved) reader.note(`${known.source} is not a whole commit, and git could not resolve it: it was left out`);
  return resolved;
}

/** Returns the commit of a build that is not of a pull request; that of the checkout where the system names none. */
export function pushedCommit(reader: Reader, known: Known<string> | undefined): Known<string> | undefined {
  return known ? commitFrom(reader, known) : headOfCheckout(reader);
}

/** Returns the commit where the variable is always the head. The checkout may be a merge, so it is not read. */
export function builtCommit(reader: Reader, known: Known<string> | undefined, isPullRequest: boolean) {
  return isPullRequest ? commitFrom(reader, known) : pushedCommit(reader, known);
}

/** Resolves a name with git. The name must be a constant or validated. */
export function commitOf(reader: Reader, revision: string, source: string): Known<string> | undefined {
  const value = reader.git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
  return value !== undefined && FULL.test(value) ? { value, source, trust: 'git' } : undefined;
}

export function headOfCheckout(reader: Reader): Known<string> | undefined {
  return commitOf(reader, 'HEAD', 'git rev-parse HEAD');
}

/** Reads the commit object itself: a shallow clone has it, but not the parents. */
export function parentsOf(reader: Reader, commit: string): string[] | undefined {
  const text = reader.git('cat-file', '-p', commit);
  if (text === undefined || !text.startsWith('tree ')) return undefined;
  const header = text.split('\n\n', 1)[0] ?? '';
  return [...header.matchAll(/^parent ([0-9a-f]{40})$/gm)].map((match) => match[1] ?? '');
}

/** Returns the commit that was merged into the target, for a merge commit that a forge made for a pull request. */
export function mergedCommit(reader: Reader, merge: Known<string> | undefined): Known<string> | undefined {
  const whole = commitFrom(reader, merge);
  const [, head] = (whole && parentsOf(reader, whole.value)) ?? [];
  if (whole && head) return { value: head, source: `${whole.source}, git cat-file (second parent)`, trust: 'git' };
  reader.note('The head commit of this pull request is unknown, and its merge commit is not recorded: set --commit');
  return undefined;
}

/** For a pull request where it is unknown whether the system built the head or a merge of its own. */
export function unlessMerge(reader: Reader, known: Known<string> | undefined): Known<string> | undefined {
  const commit = commitFrom(reader, known);
  const parents = commit && parentsOf(reader, commit.value);
  if (commit && parents && parents.length < 2) return commit;
  if (commit) {
    reader.note(`${commit.source} may be a merge of the pull request and was left out: give its head with --commit`);
  }
  return undefined;
}
