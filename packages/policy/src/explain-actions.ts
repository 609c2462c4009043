import type { Judged } from './decision.ts';
import { deedsFor } from './explain-deeds.ts';
import { reasonsBesides, withReasonsOf } from './explain-reasons.ts';
import { withoutChoice } from './reasons-in-words.ts';

/** The options to satisfy one rule. One is enough, and all its parts must be done. */
export type FixOptions = readonly (readonly string[])[];

export interface Action<Subject> {
  readonly fix: string;
  /** The subjects it helps, in order. */
  readonly subjects: readonly Subject[];
}

/** Returns the fixes that the decisions on one artifact require. */
export function fixesOf(decisions: readonly Judged[]): FixOptions[] {
  const rules = decisions.flatMap(withReasonsOf).filter(({ reasonOf }) => reasonOf.size > 0);
  const besides = decisions.flatMap(reasonsBesides);
  const deedsOf = deedsFor(rules.flatMap(({ reasonOf }) => [...reasonOf.values()]));
  return [
    ...besides.map(({ fix }) => [[fix]]),
    ...rules.map(({ fails, reasonOf }) => {
      const ways = Array.from(reasonOf.values(), deedsOf);
      return fails ? [[...new Set(ways.flat())]] : ways;
    }),
  ];
}

const OFFERS_OVERRIDE = /, or override .* with a reason\.$/;

/** Whether a fix says that the evidence can also be overridden. */
export function offersOverride(fix: string): boolean {
  return OFFERS_OVERRIDE.test(withoutChoice(fix));
}

/** For each of these fixes that can also be an override: the ids of the attestations to override. */
export function overridesIn(decisions: readonly Judged[]): Map<string, string[]> {
  const reasons = decisions.flatMap(withReasonsOf).flatMap(({ reasonOf }) => [...reasonOf]);
  const deedsOf = deedsFor(reasons.map(([, reason]) => reason));
  const found = new Map<string, string[]>();
  for (const [{ type, context }, reason] of reasons) {
    const id = context['attestation_id'];
    if (type !== 'non_compliant_attestation' || typeof id !== 'string' || !offersOverride(reason.fix)) continue;
    for (const deed of deedsOf(reason)) found.set(deed, [...new Set([...(found.get(deed) ?? []), id])]);
  }
  return found;
}

interface Open<Subject> {
  readonly subject: Subject;
  readonly ways: FixOptions;
}

/**
 * Returns the actions that satisfy all subjects, most helpful first. Of several options, takes the one that adds the
 * least to the other actions, else the one that helps most: not always the minimum, but close.
 */
export function actionsFor<Subject>(
  failing: readonly (readonly [Subject, readonly FixOptions[]])[],
): Action<Subject>[] {
  const helped = new Map<string, Set<Subject>>();
  const all = failing.flatMap(([subject, wanted]) => wanted.map((ways): Open<Subject> => ({ subject, ways })));
  const open = all.filter(({ ways }) => ways.length > 1);
  for (const { subject, ways } of all) if (ways.length === 1) take(helped, ways[0] ?? [], subject);
  const helps = Map.groupBy(
    open.flatMap(({ ways }) => ways.flat()),
    (fix) => fix,
  );
  const rankOf = (way: readonly string[]): Rank => ({
    added: way.filter((fix) => !helped.has(fix)).length,
    helps: way.reduce((sum, fix) => sum + (helps.get(fix)?.length ?? 0), 0),
    words: way.join(' '),
  });
  for (const { subject, ways } of open) {
    const [best = []] = ways.toSorted((a, b) => compare(rankOf(a), rankOf(b)));
    take(helped, best, subject);
  }
  const places = new Map(failing.map(([subject], place) => [subject, place]));
  const placeOf = (subject: Subject) => places.get(subject) ?? 0;
  return Array.from(helped, ([fix, subjects]) => ({
    fix,
    subjects: [...subjects].sort((a, b) => placeOf(a) - placeOf(b)),
  })).sort((a, b) => b.subjects.length - a.subjects.length || (a.fix < b.fix ? -1 : 1));
}

function take<Subject>(helped: Map<string, Set<Subject>>, fixes: readonly string[], subject: Subject): void {
  for (const fix of fixes) {
    const subjects = helped.get(fix);
    if (subjects) subjects.add(subject);
    else helped.set(fix, new Set([subject]));
  }
}

interface Rank {
  readonly added: number;
  readonly helps: number;
  readonly words: string;
}

function compare(one: Rank, other: Rank): number {
  return one.added - other.added || other.helps - one.helps || (one.words < other.words ? -1 : 1);
}
