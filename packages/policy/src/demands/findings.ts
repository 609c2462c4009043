import { z } from 'zod';
import type { Demand, Place, Unmet } from '../demand.ts';
import type { AttestationEvidence } from '../evidence.ts';
import { counted, listed, ofFlow } from '../in-words.ts';
import { type FindingEvidence, type FindingsReading, SEVERITIES, type Severity } from '../readings.ts';
import { updatesFor } from './finding-updates.ts';
import {
  type Exclusion,
  type ExclusionOf,
  excludedContext,
  excludedInWords,
  excludingBy,
  VEX_TRUST_DEFAULT,
  VexTrust,
  vexNeeded,
} from './vex.ts';

const DAY = 24 * 3600;
const IGNORED_MAX = 200;
const COUNT_MAX = 100_000;
const GRACE_DAYS_MAX = 3650;
const IDS_SHOWN = 20;

const DATE = 'must be a date such as "2027-03-31".';

const Limits = z
  .partialRecord(z.enum(SEVERITIES), z.int().min(0).max(COUNT_MAX))
  .refine((limits) => Object.keys(limits).length > 0, {
    error: '"max" must have at least one severity: critical, high, medium, low, or unknown.',
  });

const Ignored = z.strictObject({
  id: z.string().min(1).max(200).meta({ description: 'The finding, by its id or by any of its aliases.' }),
  reason: z.string().trim().min(1, { error: '"reason" must say why the finding is ignored.' }).max(500),
  until: z
    .string({ error: ({ input }) => (input === undefined ? undefined : `"until" ${DATE}`) })
    .refine(isDate, { error: `"until" ${DATE}` })
    .meta({
      description: 'The last day, in UTC, on which the finding is ignored.',
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    }),
});

export const FindingsLimits = z
  .strictObject({
    max: Limits.meta({ description: 'How many findings of each severity are allowed. Others are not limited.' }),
    ignore: z
      .array(Ignored)
      .max(IGNORED_MAX, { error: `"ignore" may have at most ${IGNORED_MAX} entries.` })
      .optional()
      .meta({ description: 'Findings that do not count until a day, each with a reason.' }),
    only_fixable: z
      .boolean()
      .optional()
      .meta({ description: 'Whether only findings count for which a fixed version is known.' }),
    grace_days: z.partialRecord(z.enum(SEVERITIES), z.int().min(1).max(GRACE_DAYS_MAX)).optional().meta({
      description:
        'For how many days a finding of a severity does not count, from when it was first reported in the flow for an artifact of that name.',
    }),
    vex: VexTrust.optional().meta({
      description:
        'VEX documents in the flow exclude findings that they say are fixed, or do not affect the artifact for a stated reason. How the origin of such a document must be verified; the default is "signature", and "off" is for none.',
    }),
  })
  .meta({
    description: 'What a scan may have found. Decides instead of the compliance that the scan was recorded with.',
  });
export type FindingsLimits = z.output<typeof FindingsLimits>;

type Counts = Readonly<Partial<Record<Severity, number>>>;

/** Judges each finding of a scan, whatever threshold the scan was recorded with. */
export function findingsDemand(limits: FindingsLimits): Demand {
  const endOf = ignoredUntil(limits.ignore ?? []);
  const vex = limits.vex ?? VEX_TRUST_DEFAULT;
  const countingIn = countingBy(limits, endOf);
  const exclusionsIn = ({ flow, readings }: Place) => excludingBy(vex, { attestations: flow.attestations, readings });
  return {
    field: 'findings',
    value: limits,
    inWords: inWords(limits),
    judge: (attestation, place) => {
      if (attestation.isOverride) return attestation.isCompliant ? null : overridden(attestation, place);
      const reading = readingOf(attestation, place);
      if (reading === null) return unreadable(attestation, place);
      const { counting, excluded } = countingIn(reading, place, exclusionsIn(place));
      const found = countsOf(counting, reading.others);
      const exceeded = SEVERITIES.filter((severity) => (found[severity] ?? 0) > maxOf(limits, severity));
      return exceeded.length === 0 ? null : excess(limits, { attestation, place, counting, excluded, found, exceeded });
    },
    remarkOn: (attestation, place) => {
      const reading = attestation.isOverride ? null : readingOf(attestation, place);
      const exclusionOf = reading === null ? undefined : exclusionsIn(place);
      if (reading === null || exclusionOf === undefined) return;
      return excludedContext(countingIn(reading, place, exclusionOf).excluded);
    },
    reads: ({ findings }, others) =>
      findings === undefined ? [] : [{ id: findings.set, count: findings.count }, ...vexNeeded(others, vex)],
    ...(isTimed(limits) && { turnsAt: (attestation, place) => turnsOf(limits, endOf, readingOf(attestation, place)) }),
  };
}

function isTimed({ ignore = [], grace_days: grace = {} }: FindingsLimits): boolean {
  return ignore.length > 0 || Object.keys(grace).length > 0;
}

function maxOf({ max }: FindingsLimits, severity: Severity): number {
  return max[severity] ?? Number.POSITIVE_INFINITY;
}

function readingOf({ findings }: AttestationEvidence, { readings }: Place): FindingsReading | null {
  const reading = findings === undefined ? undefined : readings?.get(findings.set);
  return reading?.kind === 'findings' ? reading : null;
}

interface Counting {
  readonly counting: readonly FindingEvidence[];
  /** By VEX, of those whose severity is limited. */
  readonly excluded: readonly Exclusion[];
}

/** Which findings count at a time and place. */
function countingBy(limits: FindingsLimits, endOf: EndOfIgnoring) {
  const { only_fixable: onlyFixable, grace_days: grace = {} } = limits;
  const counts = (finding: FindingEvidence, at: number): boolean => {
    if (onlyFixable && finding.fixed === undefined) return false;
    const days = grace[finding.severity];
    if (days !== undefined && at < finding.seen + days * DAY) return false;
    return endOf.size === 0 || at >= endOfIgnoring(finding, endOf);
  };
  return ({ findings }: FindingsReading, place: Place, exclusionOf: ExclusionOf | undefined): Counting => {
    const all = findings.filter((finding) => counts(finding, place.at ?? 0));
    if (exclusionOf === undefined) return { counting: all, excluded: [] };
    const counting: FindingEvidence[] = [];
    const excluded: Exclusion[] = [];
    for (const finding of all) {
      const exclusion = exclusionOf(finding);
      if (exclusion === undefined) counting.push(finding);
      else if (limits.max[finding.severity] !== undefined) excluded.push(exclusion);
    }
    return { counting, excluded };
  };
}

/** By id in lower case: the second at which it is ignored no more. */
type EndOfIgnoring = ReadonlyMap<string, number>;

function ignoredUntil(ignore: NonNullable<FindingsLimits['ignore']>): EndOfIgnoring {
  const ends = new Map<string, number>();
  for (const { id, until } of ignore) {
    const name = id.toLowerCase();
    ends.set(name, Math.max(ends.get(name) ?? 0, Date.parse(`${until}T00:00:00Z`) / 1000 + DAY));
  }
  return ends;
}

function endOfIgnoring({ id, aliases }: FindingEvidence, endOf: EndOfIgnoring): number {
  let end = endOf.get(id.toLowerCase()) ?? 0;
  if (aliases !== undefined) for (const alias of aliases) end = Math.max(end, endOf.get(alias.toLowerCase()) ?? 0);
  return end;
}

function turnsOf(
  { grace_days: grace = {} }: FindingsLimits,
  endOf: EndOfIgnoring,
  reading: FindingsReading | null,
): number[] {
  const turns = new Set<number>();
  for (const finding of reading?.findings ?? []) {
    const days = grace[finding.severity];
    if (days !== undefined) turns.add(finding.seen + days * DAY);
    const end = endOf.size === 0 ? 0 : endOfIgnoring(finding, endOf);
    if (end > 0) turns.add(end);
  }
  return [...turns];
}

function countsOf(findings: readonly FindingEvidence[], others: Counts): Counts {
  const counts: Partial<Record<Severity, number>> = { ...others };
  for (const { severity } of findings) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}

interface Excess {
  readonly attestation: AttestationEvidence;
  readonly place: Place;
  readonly counting: readonly FindingEvidence[];
  readonly excluded: readonly Exclusion[];
  readonly found: Counts;
  readonly exceeded: readonly Severity[];
}

function excess(limits: FindingsLimits, { attestation, place, counting, excluded, found, exceeded }: Excess): Unmet {
  const { name } = attestation;
  const bad = counting.filter(({ severity }) => exceeded.includes(severity));
  const parts = exceeded.map((severity) => {
    const max = maxOf(limits, severity);
    return `${counted(found[severity] ?? 0, `${severity} finding`)}, ${max === 0 ? 'and none is' : `of which ${max} ${max === 1 ? 'is' : 'are'}`} allowed`;
  });
  const named = bad.length === 0 ? '' : `: ${listed(bad.map(inBrief))}`;
  const excessOf = new Map(exceeded.map((severity) => [severity, (found[severity] ?? 0) - maxOf(limits, severity)]));
  const { updates, rest } = updatesFor(bad, excessOf);
  const again = `report '${name}' again ${ofFlow(place.flow)}`;
  const update = updates.length === 0 ? '' : `Update ${listed(updates)}, and ${again}`;
  const override = `override '${name}' with a reason`;
  const unfixed = rest.map(({ id }) => id);
  const context = excludedContext(excluded);
  const besides = context === undefined ? '' : `; ${excludedInWords(context['vex'])}`;
  return {
    fails: true,
    context: {
      findings: Object.fromEntries(SEVERITIES.flatMap((one) => (found[one] ? [[one, found[one]]] : []))),
      max_findings: limits.max,
      finding_ids: bad.slice(0, IDS_SHOWN).map(({ id }) => id),
      ...context,
    },
    found: `'${name}' has ${parts.join('; ')}${named}${besides}`,
    fix:
      unfixed.length === 0 && update !== ''
        ? `${update}, or ${override}.`
        : `${update === '' ? '' : `${update}. `}${withoutFix(unfixed, again)}, or ${override}.`,
  };
}

function withoutFix(ids: readonly string[], again: string): string {
  if (ids.length === 0) return `Fix what was found and ${again}`;
  return `For ${listed(ids)} no fixed version is known: fix or remove what it affects and ${again}, ignore it in the policy with a reason`;
}

function inBrief({ id, component, location }: FindingEvidence): string {
  const where = component ?? location;
  return where === undefined ? id : `${id} in ${where}`;
}

function unreadable({ name }: AttestationEvidence, { flow }: Place): Unmet {
  return {
    fails: false,
    context: { findings: null },
    found: `'${name}' has no findings that can be read`,
    fix: `Report '${name}' again ${ofFlow(flow)}, with the result of the scan as its attachment.`,
  };
}

function overridden({ name, reasons }: AttestationEvidence, { flow }: Place): Unmet {
  const [reason] = reasons;
  return {
    fails: true,
    context: { findings: null },
    found: `'${name}' was overridden as not compliant${reason === undefined ? '' : `: ${reason.replace(/\.+$/, '')}`}`,
    fix: `Report '${name}' again ${ofFlow(flow)}, or override it as compliant with a reason.`,
  };
}

function inWords({ max, ignore = [], only_fixable: onlyFixable, grace_days: grace = {} }: FindingsLimits): string {
  const given = SEVERITIES.filter((severity) => max[severity] !== undefined);
  const none = given.filter((severity) => max[severity] === 0);
  const some = given
    .filter((severity) => max[severity] !== 0)
    .map((severity) => `at most ${max[severity]} ${severity}`);
  const parts = [...(none.length > 0 ? [`no ${inList(none, 'or')}`] : []), ...some];
  const days = SEVERITIES.flatMap((severity) => {
    const count = grace[severity];
    return count === undefined ? [] : [`${severity} ones count after ${counted(count, 'day')}`];
  });
  return [
    `, with ${inList(parts, 'and')} findings`,
    onlyFixable ? ' that a known version fixes' : '',
    days.length === 0 ? '' : `, of which ${inList(days, 'and')}`,
    ignore.length === 0 ? '' : `, except ${listed([...new Set(ignore.map(({ id }) => id))])}`,
  ].join('');
}

function inList(items: readonly string[], word: 'and' | 'or'): string {
  if (items.length < 3) return items.join(` ${word} `);
  return `${items.slice(0, -1).join(', ')}, ${word} ${items.at(-1)}`;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
