import type { Judged } from './decision.ts';
import { withReasonsOf } from './explain-reasons.ts';

/** What one rule wants done: all of it, or one of several things that are as good. */
export interface WantedFixes {
  readonly isOneEnough: boolean;
  readonly fixes: readonly string[];
}

export interface Action<Subject> {
  readonly fix: string;
  /** Whom it helps, in their order. */
  readonly subjects: readonly Subject[];
}

export function fixesOf(judged: Judged): WantedFixes[] {
  return withReasonsOf(judged)
    .filter(({ reasonOf }) => reasonOf.size > 0)
    .map(({ fails, reasonOf }) => ({
      isOneEnough: !fails,
      fixes: [...new Set(Array.from(reasonOf.values(), ({ fix }) => fix))],
    }));
}

/**
 * What to do so that all subjects get what they want, what helps most of them first. Where one of several things is
 * enough, one that is done anyway is taken, else the one that helps most: not always the fewest there could be, but close.
 */
export function actionsFor<Subject>(wants: readonly (readonly [Subject, readonly WantedFixes[]])[]): Action<Subject>[] {
  const helped = new Map<string, Set<Subject>>();
  const open: { subject: Subject; fixes: readonly string[] }[] = [];
  for (const [subject, wanted] of wants) {
    for (const { isOneEnough, fixes } of wanted) {
      if (isOneEnough && fixes.length > 1) open.push({ subject, fixes });
      else for (const fix of fixes) take(helped, fix, subject);
    }
  }
  const helps = Map.groupBy(
    open.flatMap(({ fixes }) => fixes),
    (fix) => fix,
  );
  const rank = (fix: string) => (helped.has(fix) ? Number.POSITIVE_INFINITY : (helps.get(fix)?.length ?? 0));
  for (const { subject, fixes } of open) {
    const best = fixes.reduce((one, other) => (isBetter(other, one, rank) ? other : one));
    take(helped, best, subject);
  }
  const places = new Map(wants.map(([subject], place) => [subject, place]));
  const placeOf = (subject: Subject) => places.get(subject) ?? 0;
  return Array.from(helped, ([fix, subjects]) => ({
    fix,
    subjects: [...subjects].sort((a, b) => placeOf(a) - placeOf(b)),
  })).sort((a, b) => b.subjects.length - a.subjects.length || (a.fix < b.fix ? -1 : 1));
}

function take<Subject>(helped: Map<string, Set<Subject>>, fix: string, subject: Subject): void {
  const subjects = helped.get(fix);
  if (subjects) subjects.add(subject);
  else helped.set(fix, new Set([subject]));
}

function isBetter(one: string, other: string, rank: (fix: string) => number): boolean {
  const [a, b] = [rank(one), rank(other)];
  return a === b ? one < other : a > b;
}
