import type { SnapshotArtifact } from '@waymark/contract';

type Failing = Pick<SnapshotArtifact, 'fingerprint' | 'name'>;

interface FailingChoice extends Failing {
  readonly id: string;
  /** The other names of the same artifact: a waiver covers them too. */
  readonly otherNames: readonly string[];
}

/** One for each name of each artifact that can be waived: it needs a fingerprint. */
export function failingChoices(artifacts: readonly Failing[]): readonly FailingChoice[] {
  const known = artifacts.filter(({ fingerprint }) => fingerprint !== '');
  return [...Map.groupBy(known, ({ fingerprint }) => fingerprint)].flatMap(([fingerprint, group]) => {
    const names = [...new Set(group.map(({ name }) => name))];
    return names.map((name) => ({
      id: `${fingerprint} ${name}`,
      fingerprint,
      name,
      otherNames: names.filter((other) => other !== name),
    }));
  });
}
