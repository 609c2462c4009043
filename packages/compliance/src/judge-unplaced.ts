import type { ArtifactIndex } from './artifact-index.ts';
import { verdictOf } from './explain-slot.ts';
import { shortCommit, shortFingerprint } from './in-words.ts';
import type { Explanation, Unplaced } from './judgement.ts';
import { type Displaced, displacementOf } from './placement.ts';
import { remedyOf } from './remedy.ts';
import { foundOf } from './report.ts';
import type { UnplacedReport } from './unplaced.ts';

export interface JudgedUnplaced {
  readonly entries: readonly Unplaced[];
  readonly explanations: readonly Explanation[];
}

export function judgeUnplaced(unplaced: readonly UnplacedReport[], index: ArtifactIndex): JudgedUnplaced {
  const known = new Map<string, Displaced>();
  const judged = unplaced.map((it) => {
    const { targetKey } = it.report;
    const displaced = known.get(targetKey) ?? displacementOf(it.target, index);
    known.set(targetKey, displaced);
    return { entry: entryOf(it, displaced), explanation: explain(it, displaced) };
  });
  return {
    entries: judged.map(({ entry }) => entry),
    explanations: judged.map(({ explanation }) => explanation),
  };
}

function entryOf(it: UnplacedReport, { state, hints }: Displaced): Unplaced {
  const { id, name } = it.report.attestation;
  return { attestationId: id, name, ...labelsOf(it), state, hints };
}

/** A passing or replaced report does not count, but its artifact is missing. */
function explain(it: UnplacedReport, { hints }: Displaced): Explanation {
  const { report, replaced } = it;
  const { name, isCompliant, receivedAt } = report.attestation;
  const { artifact, commit } = labelsOf(it);
  const about = aboutWhat(it);
  const fails = !(isCompliant || replaced);
  const remarks = [
    verdictOf(report, `'${name}' for ${about}`),
    `That artifact is not in this trail.`,
    replaced ? 'A newer report supersedes this one.' : '',
    hints.length === 0 ? '' : `Nearest: ${hints.join('; ')}.`,
  ];
  return {
    id: `trail/unplaced:${commit === '' ? artifact : `${artifact}@${commit}`}/attestation:${name}:${report.type}`,
    kind: 'unplaced',
    status: fails ? 'NON-COMPLIANT' : 'MISSING',
    needs: `The artifact that '${name}' is about: ${about}.`,
    found: foundOf(report),
    because: remarks.filter((remark) => remark !== '').join(' '),
    fix: fails
      ? remedyOf(report, ` for ${sameArtifact(it)}`)
      : `Report ${about}, or report '${name}' again for an artifact of this trail.`,
    since: receivedAt,
    children: [],
  };
}

function labelsOf({ target }: UnplacedReport): { artifact: string; commit: string } {
  return target.kind === 'named'
    ? { artifact: target.artifact, commit: target.commit }
    : { artifact: target.fingerprint, commit: '' };
}

function sameArtifact({ target }: UnplacedReport): string {
  return target.kind === 'named' ? `artifact '${target.artifact}'` : 'the same fingerprint';
}

function aboutWhat({ target }: UnplacedReport): string {
  return target.kind === 'named'
    ? `artifact '${target.artifact}' of commit ${shortCommit(target.commit)}`
    : `the artifact with fingerprint ${shortFingerprint(target.fingerprint)}`;
}
