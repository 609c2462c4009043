import { readNumber } from './read-number.ts';
import { lengthProblem, type Refused, refused } from './refused.ts';
import { indexOf } from './resolve.ts';

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Both ends belong to it. One without snapshots is from 1 to 0. */
export type ParsedInterval = ({ readonly ok: true } & Interval) | Refused;

const EMPTY: Interval = { from: 1, to: 0 };

const FORMS = 'A..B with N, -N, ~N or NOW on either side, or with nothing on it, or one of them only';

export function parseInterval(text: string, latest: number): ParsedInterval {
  if (text === '') return { ok: true, from: 1, to: latest };
  const interval = lengthProblem(text) ?? readInterval(text, latest);
  return typeof interval === 'string' ? refused(interval, FORMS) : { ok: true, ...interval };
}

function readInterval(text: string, latest: number): Interval | string {
  const middle = text.indexOf('..');
  if (middle === -1) return readSingle(text, latest);
  const from = readBound(text.slice(0, middle) || '1', latest);
  const to = readBound(text.slice(middle + '..'.length) || 'NOW', latest);
  if (typeof from === 'string') return from;
  if (typeof to === 'string') return to;
  const isToTheEnd = /^(now)?$/i.test(text.slice(middle + '..'.length));
  if (from > to && !isToTheEnd) return `begins at ${from} and ends at ${to}; the older one must come first`;
  const inside = { from: Math.max(1, from), to: Math.min(latest, to) };
  return inside.from > inside.to ? EMPTY : inside;
}

/** A single bound A means A..A. */
function readSingle(text: string, latest: number): Interval | string {
  const index = readBound(text, latest);
  if (typeof index === 'string') return index;
  return index < 1 || index > latest ? EMPTY : { from: index, to: index };
}

function readBound(text: string, latest: number): number | string {
  return text.toLowerCase() === 'now' ? latest : readIndex(text, latest);
}

function readIndex(text: string, latest: number): number | string {
  const isBehind = text.startsWith('~');
  const number = readNumber(isBehind ? text.slice(1) : text);
  if (typeof number === 'string') return number;
  if (!isBehind && number === 0) return 'has 0, and snapshots are numbered from 1';
  if (isBehind && number < 0) return `has ${number} behind ~, where a number from 0 on belongs`;
  return indexOf(isBehind ? { kind: 'behind', count: number } : { kind: 'index', index: number }, latest);
}
