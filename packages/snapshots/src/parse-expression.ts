import { EARLIEST } from './earlier.ts';
import type { AgoUnit, Expression, Timed } from './expression.ts';
import { readNumber, readPositive } from './read-number.ts';
import { lengthProblem, type Refused, refused, shown } from './refused.ts';

export type ParsedExpression = { readonly ok: true; readonly expression: Expression } | Refused;

const FORMS = 'N, #N, -N, ~N, @{2026-11-01T12:00:00}, @{3.days.ago} or @{now}';

const AGO_UNITS: ReadonlyMap<string, AgoUnit> = new Map([
  ['hour', 'hours'],
  ['hours', 'hours'],
  ['day', 'days'],
  ['days', 'days'],
  ['week', 'weeks'],
  ['weeks', 'weeks'],
  ['month', 'months'],
  ['months', 'months'],
]);

/** Text without one of our signs in front and without any digit is not a typo in one of the forms. */
const LIKE_A_FORM = /^[#~@]|\d/;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

export function parseExpression(text: string): ParsedExpression {
  if (text !== '' && !LIKE_A_FORM.test(text)) return { ok: false, problem: `is none of the forms ${FORMS}` };
  const expression = lengthProblem(text) ?? readExpression(text);
  return typeof expression === 'string' ? refused(expression, FORMS) : { ok: true, expression };
}

/** Returns the expression, or its error. */
export function readExpression(text: string): Expression | string {
  if (text.startsWith('~')) return readBehind(text.slice(1));
  if (text.startsWith('@')) return readTimed(text);
  return readIndex(text.startsWith('#') ? text.slice(1) : text);
}

function readIndex(text: string): Expression | string {
  const index = readNumber(text);
  if (typeof index === 'string') return index;
  return index === 0 ? 'is 0, and snapshots are numbered from 1' : { kind: 'index', index };
}

function readBehind(text: string): Expression | string {
  const count = readNumber(text);
  if (typeof count === 'string') return count;
  return count < 0 ? `has ${count} behind ~, where a number from 0 on belongs` : { kind: 'behind', count };
}

function readTimed(text: string): Timed | string {
  if (!(text.startsWith('@{') && text.endsWith('}'))) return 'has no time between @{ and }';
  const time = text.slice('@{'.length, -'}'.length);
  if (time.toLowerCase() === 'now') return { kind: 'now' };
  return time.endsWith('.ago') ? readAgo(time.slice(0, -'.ago'.length)) : readMoment(time);
}

function readAgo(text: string): Timed | string {
  const [number = '', word = '', ...rest] = text.split('.');
  const amount = readPositive(number);
  if (typeof amount === 'string') return amount;
  const unit = AGO_UNITS.get(word);
  if (unit === undefined || rest.length > 0) {
    return `has ${shown([word, ...rest].join('.'))} where hours, days, weeks or months belongs`;
  }
  return { kind: 'ago', amount, unit };
}

function readMoment(text: string): Timed | string {
  const local = text.endsWith('Z') ? text.slice(0, -1) : text;
  if (!MOMENT.test(local)) return `has ${shown(text)} where a time belongs`;
  const at = new Date(`${local}Z`);
  // An invalid date, such as 30 February, comes back as another one.
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(local);
  return isReal && at >= EARLIEST ? { kind: 'moment', at } : `has ${shown(text)}, which is not a valid date and time`;
}
