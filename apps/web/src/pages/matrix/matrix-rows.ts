import type { MatrixCell, MatrixService } from '@waymark/contract';

/** The label of a version: its tag, its commit, or the first digits of its fingerprint. */
export function versionOf({ artifact_name, git_commit, fingerprint }: MatrixCell): string {
  const last = artifact_name.split('/').at(-1) ?? '';
  const [, tag] = /:([^:@]+)(?:@.*)?$/.exec(last) ?? [];
  if (tag !== undefined) return tag;
  if (/^[0-9a-f]{40}$/.test(git_commit)) return git_commit.slice(0, 7);
  return fingerprint === '' ? 'not identified' : fingerprint.slice(0, 7);
}

export interface Drift {
  /** How many different artifacts run, and in how many environments. */
  readonly versions: number;
  readonly places: number;
  /** The first environment that runs it, to compare the others with. */
  readonly against: string;
  /** For each environment, whether it runs something else. */
  readonly differs: readonly boolean[];
}

/** Null where the same runs everywhere. */
export function driftOf({ cells, drift }: MatrixService, environments: readonly { name: string }[]): Drift | null {
  const first = cells.findIndex((cell) => cell !== null);
  const reference = cells[first];
  if (!drift || !reference) return null;
  const running = cells.filter((cell) => cell !== null);
  return {
    versions: new Set(running.map(({ fingerprint }) => fingerprint)).size,
    places: running.length,
    against: environments[first]?.name ?? '',
    differs: cells.map((cell) => cell !== null && cell.fingerprint !== reference.fingerprint),
  };
}
