import { earlier, type Unit } from './earlier.ts';
import { readNumber, readPositive } from './read-number.ts';
import { lengthProblem, type Refused, refused, shown } from './refused.ts';

export type EventBound =
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'moment'; readonly at: Date };

export type ParsedEventBound = { readonly ok: true; readonly bound: EventBound } | Refused;

const FORMS = 'N, -N, NOW or how long ago, such as 30mins, 1h, 2days, 3weeks or 1month';

const WORDS: Readonly<Record<Unit, readonly string[]>> = {
  seconds: ['s', 'sec', 'secs', 'second', 'seconds'],
  minutes: ['m', 'min', 'mins', 'minute', 'minutes'],
  hours: ['h', 'hr', 'hrs', 'hour', 'hours'],
  days: ['d', 'day', 'days'],
  weeks: ['w', 'week', 'weeks'],
  months: ['month', 'months'],
};

const UNITS: ReadonlyMap<string, Unit> = new Map(
  (Object.keys(WORDS) as Unit[]).flatMap((unit) => WORDS[unit].map((word) => [word, unit] as const)),
);

const NUMBER = /^[-+]?\d+$/;
const LENGTH_OF_TIME = /^(\d+) ?([a-z]+)$/i;

export function parseEventBound(text: string, now: Date): ParsedEventBound {
  const bound = lengthProblem(text) ?? readBound(text, now);
  return typeof bound === 'string' ? refused(bound, FORMS) : { ok: true, bound };
}

function readBound(text: string, now: Date): EventBound | string {
  if (text.toLowerCase() === 'now') return { kind: 'moment', at: now };
  return NUMBER.test(text) ? readIndex(text) : readAgo(text, now);
}

function readIndex(text: string): EventBound | string {
  const index = readNumber(text);
  if (typeof index === 'string') return index;
  return index === 0 ? 'is 0, and snapshots are numbered from 1' : { kind: 'index', index };
}

function readAgo(text: string, now: Date): EventBound | string {
  const [, number, word] = LENGTH_OF_TIME.exec(text) ?? [];
  if (number === undefined || word === undefined) return `is ${shown(text)}, which is neither an index nor a duration`;
  const amount = readPositive(number);
  if (typeof amount === 'string') return amount;
  const unit = UNITS.get(word.toLowerCase());
  if (unit === undefined) return `has ${shown(word)} where a unit of time belongs`;
  return { kind: 'moment', at: earlier(now, amount, unit) };
}
