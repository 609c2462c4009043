/** The search text: digits, or a name. */
export type Asked =
  | { readonly kind: 'digits'; readonly sha: string }
  | { readonly kind: 'words'; readonly text: string };

export function askedFor(typed: string): Asked {
  const text = typed.trim();
  const digits = text.replace(/^sha256:/i, '').toLowerCase();
  if (/^[0-9a-f]{5,64}$/.test(digits)) return { kind: 'digits', sha: digits };
  const [, commit] = /\/(?:commit|commits)\/([0-9a-f]{7,40})(?:[/?#]|$)/i.exec(text) ?? [];
  return commit === undefined ? { kind: 'words', text } : { kind: 'digits', sha: commit.toLowerCase() };
}

/** ABC-1 does not match ABC-12, nor …/pull/8 match …/pull/81. */
export function wholeWord(text: string): (within: unknown) => boolean {
  const quoted = JSON.stringify(text).slice(1, -1);
  const escaped = quoted.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu');
  return (within) => pattern.test(JSON.stringify(within) ?? '');
}

export interface FoundArtifact {
  readonly flow: string;
  readonly fingerprint: string;
}

/** In the order in which they were found. */
export function withoutDuplicates(found: readonly FoundArtifact[]): FoundArtifact[] {
  return [...new Map(found.map((one) => [`${one.flow} ${one.fingerprint}`, one])).values()];
}

interface Matches {
  readonly count: number;
  readonly matches: readonly string[];
}

/** The matches that are not shown, in words; undefined when all are shown. */
export function leftOutWords(resolved: {
  readonly fingerprints: Matches;
  readonly commits: Matches;
}): string | undefined {
  const { fingerprints, commits } = resolved;
  // When a fingerprint matches, the response leaves out the artifacts of commits.
  const [shown, what, hidden] =
    fingerprints.count > 0 ? [fingerprints, 'fingerprints', commits.count] : [commits, 'commits', 0];
  const { count, matches } = shown;
  const words = [
    ...(count > matches.length
      ? [`${counted(count)} ${what} start with these digits; ${matches.length} are shown.`]
      : []),
    ...(hidden > 0
      ? [`${counted(hidden)} ${hidden === 1 ? 'commit starts' : 'commits start'} with these digits, too (not shown).`]
      : []),
  ];
  return words.length === 0 ? undefined : [...words, 'Enter more digits to distinguish them.'].join(' ');
}

const COUNTED_MAX = 1_000;

/** The server stops counting there. */
function counted(count: number): string {
  return `${count.toLocaleString('en')}${count >= COUNTED_MAX ? ' or more' : ''}`;
}
