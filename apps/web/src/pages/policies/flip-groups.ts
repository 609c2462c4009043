import type { Flip } from '@waymark/contract';

export interface FlipGroup {
  readonly key: string;
  readonly cause: string;
  readonly flips: readonly Flip[];
  readonly artifacts: number;
  readonly environments: number;
}

type Reason = Flip['reasons'][number];

const RESULTS: Readonly<Record<string, string>> = {
  missing_attestation: 'missing',
  non_compliant_attestation: 'failing',
  non_compliant_in_trail: 'not compliant in its trail',
  no_provenance: 'no provenance',
  not_decided: 'not evaluated',
};

/** Where the message goes on about one artifact. */
const REQUIREMENT = /^Policy '.*?' requires (.+?)\. (?=In flow |No flow |The running |Image for )/s;

/** The rule and what became of it, without the artifact: `A compliant attestation of type junit: missing`. */
function causeOf({ message, resolution }: Reason): string {
  const [, needs] = REQUIREMENT.exec(message) ?? [];
  if (needs === undefined) return message;
  return `${needs.charAt(0).toUpperCase()}${needs.slice(1)}: ${RESULTS[resolution] ?? 'not satisfied'}`;
}

const WITHOUT_REASON: Readonly<Record<Flip['to'], string>> = {
  compliant: 'All requirements would be met',
  'non-compliant': 'No reason is known',
  unknown: 'Nothing would be evaluated',
  waived: 'A waiver would apply',
};

function causesOf({ to, reasons }: Flip): string[] {
  return reasons.length === 0 ? [WITHOUT_REASON[to]] : [...new Set(reasons.map(causeOf))];
}

/** By cause, the most frequent first. A verdict with several causes is with the one that most others share. */
export function groupFlips(flips: readonly Flip[]): readonly FlipGroup[] {
  const times = new Map<string, number>();
  for (const cause of flips.flatMap(causesOf)) times.set(cause, (times.get(cause) ?? 0) + 1);
  const mainOf = (flip: Flip) =>
    causesOf(flip).reduce((main, other) => ((times.get(other) ?? 0) > (times.get(main) ?? 0) ? other : main));
  return [...Map.groupBy(flips, (flip) => `${flip.to} ${mainOf(flip)}`)]
    .map(([key, group]) => ({
      key,
      cause: key.slice(key.indexOf(' ') + 1),
      flips: group,
      artifacts: new Set(group.map(({ artifact }) => artifact.fingerprint || artifact.name)).size,
      environments: new Set(group.map(({ environment }) => environment)).size,
    }))
    .sort((one, other) => other.flips.length - one.flips.length);
}
