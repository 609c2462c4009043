import type { Slot } from './fill-slots.ts';
import { listed, shortCommit, typeInWords } from './in-words.ts';
import type { Explanation } from './judgement.ts';
import type { Level } from './level.ts';
import { nearestName } from './nearest-name.ts';
import { foundReport, type Report } from './report.ts';
import type { Stray } from './strays.ts';

type MissingSlot = Extract<Slot, { readonly report: null }>;

/** A report in place of the required one. */
export interface Instead {
  /** It would have filled the slot if its artifact were in the trail. */
  readonly displaced: Report | null;
  readonly stray: Stray | null;
}

/** `why` continues the statement that the slot is missing. */
interface Clue {
  readonly why: string;
  readonly fix: string;
  readonly found: readonly Report[];
}

export function explainMissingSlot(slot: MissingSlot, level: Level, instead: Instead): Explanation {
  const { name, type } = slot.required;
  const { why, fix, found } = clueOf(slot, level, instead);
  return {
    id: `${level.id}/attestation:${name}`,
    kind: 'attestation',
    status: 'MISSING',
    needs: `An attestation named '${name}' of ${typeInWords(type)}${level.about}.`,
    found: found.map(foundReport),
    because: `${level.artifact === null ? 'The trail' : `Artifact '${level.artifact}'`} lacks '${name}': ${why}.`,
    fix,
    since: null,
    children: [],
  };
}

function clueOf(slot: MissingSlot, level: Level, { displaced, stray }: Instead): Clue {
  if (slot.ofOtherTypes.length > 0) return otherTypes(slot, level);
  if (displaced?.attestation.target.kind === 'named') {
    return otherCommit(displaced, displaced.attestation.target);
  }
  const here = level.artifact === null ? ' on the trail' : level.about;
  const report = `Report an attestation named '${slot.required.name}' of ${typeInWords(slot.required.type)}${here}`;
  if (stray !== null) return otherPlace(stray, here, report);
  const meant = nearestName(slot.required.name, level.extraNames);
  const alike = meant === undefined ? '' : `; '${meant}' was, which the template does not require`;
  return { why: `no attestation of that name has been reported${alike}`, fix: `${report}.`, found: [] };
}

function otherTypes({ required: { name, type }, ofOtherTypes }: MissingSlot, { about }: Level): Clue {
  const types = listed(ofOtherTypes.map((report) => report.type));
  return {
    why: `it was reported as ${types}, but the template requires ${type}`,
    fix: `Report '${name}'${about} as ${type}, or change the template to require ${types}.`,
    found: ofOtherTypes,
  };
}

function otherCommit(displaced: Report, { artifact, commit }: { artifact: string; commit: string }): Clue {
  const intended = `artifact '${artifact}' of commit ${shortCommit(commit)}`;
  const { name } = displaced.attestation;
  return {
    why: `it was reported for ${intended}, which is not in this trail`,
    fix: `Report ${intended}, or report '${name}' for the commit that the artifact of this trail was built from.`,
    found: [displaced],
  };
}

function otherPlace({ report, where, ofEarlierBuild }: Stray, here: string, fix: string): Clue {
  const reported = `it was reported as ${report.type} ${where}, but not`;
  return ofEarlierBuild
    ? { why: `${reported} for the newest`, fix: `${fix} for the newest build too.`, found: [report] }
    : { why: `${reported}${here}`, fix: `${fix}, or change the template to require it ${where}.`, found: [report] };
}
