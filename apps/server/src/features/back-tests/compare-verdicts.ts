import type { RunCompliance } from '../../platform/db/tables.ts';

/** Snapshots in the half-open interval [from, until). */
export interface Interval {
  readonly from: number;
  readonly until: number;
}

/** The recorded verdict on an artifact over some snapshots, and the predicted one. */
export interface Compared extends Interval {
  readonly recorded: RunCompliance;
  readonly evidence: 'recorded' | 'present';
  /** Null when nothing is predicted. */
  readonly would: { readonly isCompliant: boolean; readonly reasons: readonly string[] } | null;
}

/** An interval with one predicted verdict, which may equal the recorded one. */
export interface Piece extends Interval {
  readonly was: RunCompliance;
  readonly to: RunCompliance;
  readonly evidence: 'recorded' | 'present';
  /** JSON arrays as text. */
  readonly reasons: readonly string[];
}

/**
 * In order, with the same gaps as the compared verdicts; `waived` are the snapshots in which the artifact has a waiver.
 */
export function piecesOf(compared: readonly Compared[], waived: readonly Interval[]): Piece[] {
  const pieces: Piece[] = [];
  for (const one of compared) {
    for (const part of cutBy(one, waived)) {
      const { recorded: was, evidence, would } = one;
      const to = would === null ? was : complianceOf(would.isCompliant, part.isWaived);
      add(pieces, { from: part.from, until: part.until, was, to, evidence, reasons: would?.reasons ?? [] });
    }
  }
  return pieces;
}

/** An artifact that was never judged and would be compliant is not a flip. */
export function isFlip({ was, to }: Piece): boolean {
  return was !== to && !(was === 'unknown' && to === 'compliant');
}

function complianceOf(isCompliant: boolean, isWaived: boolean): RunCompliance {
  if (isCompliant) return 'compliant';
  return isWaived ? 'waived' : 'non-compliant';
}

/** Joins continuing pieces, with the reasons of the first. */
function add(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  const goesOn =
    last?.until === piece.from && last.was === piece.was && last.to === piece.to && last.evidence === piece.evidence;
  if (last && goesOn) pieces[pieces.length - 1] = { ...last, until: piece.until };
  else pieces.push(piece);
}

/** Intervals of `waived` are ordered and disjoint. */
function cutBy({ from, until }: Interval, waived: readonly Interval[]): (Interval & { isWaived: boolean })[] {
  const parts: (Interval & { isWaived: boolean })[] = [];
  let at = from;
  for (const one of waived) {
    const start = Math.max(one.from, at);
    const end = Math.min(one.until, until);
    if (start >= end) continue;
    if (start > at) parts.push({ from: at, until: start, isWaived: false });
    parts.push({ from: start, until: end, isWaived: true });
    at = end;
  }
  if (at < until) parts.push({ from: at, until, isWaived: false });
  return parts;
}

/** Counts the snapshots that at least one of many intervals covers. */
export interface Coverage {
  add(interval: Interval): void;
  /** Only snapshots up to this one. */
  countTo(index: number): number;
}

export function createCoverage({ first, last }: { first: number; last: number }): Coverage {
  const changes = new Int32Array(last - first + 2);
  const change = (index: number, by: number) => {
    const place = Math.min(Math.max(index, first), last + 1) - first;
    changes[place] = (changes[place] ?? 0) + by;
  };
  return {
    add({ from, until }) {
      change(from, 1);
      change(until, -1);
    },
    countTo(index) {
      let holding = 0;
      let count = 0;
      for (let place = 0; place <= index - first; place++) {
        holding += changes[place] ?? 0;
        if (holding > 0) count += 1;
      }
      return count;
    },
  };
}
