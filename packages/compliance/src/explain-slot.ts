import type { Slot } from './fill-slots.ts';
import { typeInWords, withReasons } from './in-words.ts';
import type { Explanation } from './judgement.ts';
import type { Level } from './level.ts';
import { remedyOf } from './remedy.ts';
import { foundOf, type Report } from './report.ts';

type FilledSlot = Exclude<Slot, { readonly report: null }>;

export function explainSlot({ required, report }: FilledSlot, { id, about }: Level): Explanation {
  const { name, isCompliant, receivedAt } = report.attestation;
  const remarks = [verdictOf(report, `'${name}'${about}`), required === null ? remarkOnExtra(report) : ''];
  return {
    id: `${id}/attestation:${required === null ? `${name}:${report.type}` : name}`,
    kind: 'attestation',
    status: isCompliant ? 'COMPLIANT' : 'NON-COMPLIANT',
    needs:
      required === null
        ? needsNothing(`'${name}' of type ${report.type}`)
        : `An attestation named '${name}' of ${typeInWords(required.type)}${about}.`,
    found: foundOf(report),
    because: remarks.filter((remark) => remark !== '').join(' '),
    fix: isCompliant ? null : remedyOf(report, about),
    since: receivedAt,
    children: [],
  };
}

export function needsNothing(subject: string): string {
  return `Nothing: the template does not require ${subject}, but reported evidence counts.`;
}

/** The summary of a report, about its subject. */
export function verdictOf({ attestation, type, original }: Report, subject: string): string {
  const { isCompliant, overrides, reasons } = attestation;
  const verdict = inWords(isCompliant);
  if (overrides === null) {
    return withReasons(`${subject} was reported as ${type} and is ${verdict}`, isCompliant ? [] : reasons);
  }
  const overridden = withReasons(`${subject} (${type}) was overridden as ${verdict}`, [overrides.reason]);
  const replaces = 'This replaces the verdict of an earlier report';
  if (original === null) return `${overridden} ${replaces}.`;
  const was = `${replaces}, which was ${inWords(original.isCompliant)}`;
  return `${overridden} ${withReasons(was, original.isCompliant ? [] : original.reasons)}`;
}

function inWords(isCompliant: boolean): string {
  return isCompliant ? 'compliant' : 'not compliant';
}

function remarkOnExtra({ attestation: { name, isCompliant }, type }: Report): string {
  return `The template does not require '${name}' of type ${type}${isCompliant ? '.' : ', but failing evidence counts.'}`;
}
