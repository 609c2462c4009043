import { expect, it } from 'vitest';
import { parseEventBound } from './parse-event-bound.ts';

const FORMS = 'write N, -N, NOW or how long ago, such as 30mins, 1h, 2days, 3weeks or 1month';
const NOW = new Date('2026-03-31T12:00:00Z');

it.each([
  ['5', 5],
  ['-3', -3],
])('%s is an index', (text, index) => {
  expect(parseEventBound(text, NOW)).toEqual({ ok: true, bound: { kind: 'index', index } });
});

it.each([
  ['now NOW Now', '2026-03-31T12:00:00Z'],
  ['30s 30sec 30secs 30second 30seconds', '2026-03-31T11:59:30Z'],
  ['30m 30min 30mins 30minute 30minutes 30MINS', '2026-03-31T11:30:00Z'],
  ['1h 1hr 1hrs 1hour 1hours 1H 60m', '2026-03-31T11:00:00Z'],
  ['2d 2day 2days 48h', '2026-03-29T12:00:00Z'],
  ['1w 1week 1weeks 7d', '2026-03-24T12:00:00Z'],
  ['1month 1months 1MONTH', '2026-02-28T12:00:00Z'],
])('%s are all one moment', (texts, moment) => {
  for (const text of texts.split(' ')) {
    expect(parseEventBound(text, NOW)).toEqual({ ok: true, bound: { kind: 'moment', at: new Date(moment) } });
  }
});

it('takes a space between number and unit', () => {
  expect(parseEventBound('2 days', NOW)).toEqual(parseEventBound('2days', NOW));
});

it.each([
  ['', 'is empty'],
  ['1'.repeat(401), 'is longer than 400 characters'],
  ['0', 'is 0, and snapshots are numbered from 1'],
  ['+1', "has '+1' where a whole number without leading zeros belongs"],
  ['007', "has '007' where a whole number without leading zeros belongs"],
  ['9999999999', "has the number '9999999999', and 2147483647 is the largest"],
  ['~1', "is '~1', which is neither an index nor a duration"],
  ['-2h', "is '-2h', which is neither an index nor a duration"],
  ['1.5h', "is '1.5h', which is neither an index nor a duration"],
  ['2  days', "is '2  days', which is neither an index nor a duration"],
  ['2 ', "is '2 ', which is neither an index nor a duration"],
  ['2h30m', "is '2h30m', which is neither an index nor a duration"],
  ['yesterday', "is 'yesterday', which is neither an index nor a duration"],
  ['2years', "has 'years' where a unit of time belongs"],
  ['2constructor', "has 'constructor' where a unit of time belongs"],
  ['0h', 'has 0 instead of a number of at least 1'],
  ['9999999999h', "has the number '9999999999', and 2147483647 is the largest"],
])('%j is refused', (text, problem) => {
  expect(parseEventBound(text, NOW)).toEqual({ ok: false, problem: `${problem}; ${FORMS}` });
});
