import type { Slot } from './fill-slots.ts';
import { listed, shortCommit, typeInWords, withReasons } from './in-words.ts';
import type { Explanation } from './judgement.ts';
import { nearestName } from './nearest-name.ts';
import { foundReport, type Report } from './report.ts';
import type { RequiredAttestation } from './trail.ts';

/** The trail itself, or an artifact of it, and what is known there. */
export interface Level {
  readonly id: string;
  readonly artifact: string | null;
  /** Names that were reported here and that nobody asked for: one of them may be a slip of the pen. */
  readonly extraNames: readonly string[];
}

/** `displaced` is a report that would have filled the slot if it were about an artifact that is here. */
export function explainSlot(slot: Slot, level: Level, displaced: Report | null): Explanation {
  if (slot.report === null) return explainMissing(slot, level, displaced);
  const { required, report } = slot;
  const { name, isCompliant, receivedAt } = report.attestation;
  const subject = `'${name}'${onArtifact(level)}`;
  const again = `Put right what ${subject} found and report it again, or override it with a reason.`;
  return {
    id: `${level.id}/attestation:${required === null ? `${name}:${report.type}` : name}`,
    kind: 'attestation',
    status: isCompliant ? 'COMPLIANT' : 'NON-COMPLIANT',
    needs: required === null ? needsNothing(`'${name}'`) : needsOf(required, level),
    found: [foundReport(report)],
    because: `${verdictOf(report, subject)}${required === null ? remarkOnExtra(isCompliant) : ''}`,
    fix: isCompliant ? null : again,
    since: receivedAt,
    children: [],
  };
}

export function needsNothing(subject: string): string {
  return `Nothing: the template does not ask for ${subject}, but what is reported counts.`;
}

/** What a report says, as a sentence about its subject. */
export function verdictOf({ attestation, type }: Report, subject: string): string {
  const { isCompliant, overrides, reasons } = attestation;
  const verdict = isCompliant ? 'compliant' : 'not compliant';
  if (overrides !== null) {
    return withReasons(`${subject} (${type}) was overridden as ${verdict}`, [overrides.reason, ...reasons]);
  }
  return withReasons(`${subject} was reported as ${type} and is ${verdict}`, isCompliant ? [] : reasons);
}

function explainMissing(
  slot: Extract<Slot, { readonly report: null }>,
  level: Level,
  displaced: Report | null,
): Explanation {
  const found = displaced === null ? slot.ofOtherTypes : [...slot.ofOtherTypes, displaced];
  return {
    id: `${level.id}/attestation:${slot.required.name}`,
    kind: 'attestation',
    status: 'MISSING',
    needs: needsOf(slot.required, level),
    found: found.map(foundReport),
    ...whyMissing(slot.required, slot.ofOtherTypes, level, displaced),
    since: null,
    children: [],
  };
}

function whyMissing(
  required: RequiredAttestation,
  ofOtherTypes: readonly Report[],
  level: Level,
  displaced: Report | null,
): { because: string; fix: string } {
  const { name, type } = required;
  const subject = `'${name}'${onArtifact(level)}`;
  if (ofOtherTypes.length > 0) {
    const types = listed(ofOtherTypes.map((report) => report.type));
    return {
      because: `${subject} was reported as ${types}, the template asks for ${type}.`,
      fix: `Report ${subject} as ${type}, or change the template to ask for ${types}.`,
    };
  }
  if (displaced?.attestation.target.kind === 'named') {
    const { artifact, commit } = displaced.attestation.target;
    const intended = `artifact '${artifact}' of commit ${shortCommit(commit)}`;
    return {
      because: `'${name}' was reported for ${intended}, which is not in this trail.`,
      fix: `Report ${intended}, or report '${name}' for the commit that the artifact of this trail was built from.`,
    };
  }
  const meant = nearestName(name, level.extraNames);
  const instead = meant === undefined ? '' : `; '${meant}' was, which the template does not ask for`;
  return {
    because: `No attestation named ${subject} has been reported${instead}.`,
    fix: `Report an attestation named ${subject} of ${typeInWords(type)}.`,
  };
}

function needsOf({ name, type }: RequiredAttestation, level: Level): string {
  return `An attestation named '${name}' of ${typeInWords(type)}${onArtifact(level)}.`;
}

function onArtifact({ artifact }: Level): string {
  return artifact === null ? '' : ` on artifact '${artifact}'`;
}

function remarkOnExtra(isCompliant: boolean): string {
  return isCompliant
    ? ' The template does not ask for it.'
    : ' The template does not ask for it, but what fails counts.';
}
