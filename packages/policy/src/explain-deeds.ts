import type { Reason } from './decision.ts';
import { withoutChoice } from './reasons-in-words.ts';

/**
 * The fix of each reason, in the same words where it is the same action. Evidence that a rule requires may also be
 * missing in a trail, and a report of the artifact helps all rules that lack provenance.
 */
export function deedsFor(reasons: readonly Reason[]): (reason: Reason) => readonly string[] {
  const provenance = new Set(reasons.filter(isWithoutProvenance).map(({ fix }) => fix));
  const inTrails = Map.groupBy(reasons, trailKey);
  return (reason) => {
    if (isWithoutProvenance(reason)) return [provenance.size > 1 ? withoutInstead(reason.fix) : reason.fix];
    const others = inTrails.get(trailKey(reason)) ?? [];
    return isOfTrail(reason) ? deedsOfTrail(reason, others) : [deedOf(reason, others)];
  };
}

function trailKey({ flow_name, trail_name }: Reason): string {
  return JSON.stringify([flow_name, trail_name]);
}

function isWithoutProvenance({ resolution }: Reason): boolean {
  return resolution === 'no_provenance';
}

function isOfTrail({ resolution }: Reason): boolean {
  return resolution === 'non_compliant_in_trail';
}

/** Alternatives differ from rule to rule. */
function withoutInstead(fix: string): string {
  const [first = fix] = fix.split(', or ');
  return `${first}.`;
}

function deedsOfTrail(reason: Reason, others: readonly Reason[]): string[] {
  const ofRules = others.filter((other) => !isOfTrail(other) && other.attestation_name !== null);
  const deeds = sentencesOf(reason).map((sentence) => ofRules.find((other) => isSame(sentence, other)) ?? sentence);
  const texts = deeds.filter((deed) => typeof deed === 'string');
  const merged = deeds.filter((deed) => typeof deed !== 'string').map(({ fix }) => withoutChoice(fix));
  return [...merged, ...(isWhole(texts) ? texts : [texts.join(' ')])];
}

/** The words of the rule, or those of a trail that names what the rule accepts under any name. */
function deedOf(reason: Reason, others: readonly Reason[]): string {
  const named =
    reason.attestation_name === null
      ? others
          .filter(isOfTrail)
          .flatMap(sentencesOf)
          .find((sentence) => isNamed(sentence, reason))
      : undefined;
  return named ?? withoutChoice(reason.fix);
}

/** A trail gives its fix as text only. */
function sentencesOf({ fix }: Reason): string[] {
  return withoutChoice(fix).split(/(?<=[.!?]) (?=[A-Z])/);
}

/** Not cut within a name, and not a continuation of an earlier sentence. */
function isWhole(sentences: readonly string[]): boolean {
  return sentences.every((it) => !it.startsWith('Then fix ') && (it.split("'").length - 1) % 2 === 0);
}

const CONTROL = /^Decide control '.*' again and /;

/** Whether a trail suggests the same as a rule: only the place is worded differently. */
function isSame(sentence: string, reason: Reason): boolean {
  const head = headOf(reason).replace(CONTROL, 'Decide the control again and ');
  if (head.endsWith(ON_ARTIFACT))
    return begins(sentence, head.slice(0, -ON_ARTIFACT.length), " on artifact '", ' on the trail');
  return head.endsWith(' again') && begins(sentence, head, " on artifact '", ', or override ');
}

const ON_ARTIFACT = ' on the artifact';

function isNamed(sentence: string, reason: Reason): boolean {
  const head = headOf(reason);
  const asked = 'Report an attestation';
  return (
    head.startsWith(`${asked} of type `) &&
    head.endsWith(ON_ARTIFACT) &&
    sentence.startsWith(`${asked} named '`) &&
    sentence.includes(`'${head.slice(asked.length, -ON_ARTIFACT.length)} on `)
  );
}

/** The action, without its place. */
function headOf({ fix, flow_name, trail_name }: Reason): string {
  const at = fix.lastIndexOf(` in trail '${trail_name}' of flow '${flow_name}'`);
  return at < 0 ? '' : fix.slice(0, at);
}

function begins(sentence: string, head: string, ...nexts: readonly string[]): boolean {
  return nexts.some((next) => sentence.startsWith(`${head}${next}`));
}
