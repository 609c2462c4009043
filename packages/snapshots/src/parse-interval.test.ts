import { expect, it } from 'vitest';
import { parseInterval } from './parse-interval.ts';

const FORMS = 'write A..B with N, -N, ~N or NOW on either side, or with nothing on it, or one of them only';

it.each([
  ['', 1, 10],
  ['..', 1, 10],
  ['3..', 3, 10],
  ['..3', 1, 3],
  ['3..7', 3, 7],
  ['4..4', 4, 4],
  ['~5..NOW', 5, 10],
  ['~5..now', 5, 10],
  ['Now..NOW', 10, 10],
  ['-3..-2', 8, 9],
  ['~3..9', 7, 9],
  ['5..99', 5, 10],
  ['~99..5', 1, 5],
  ['-99..~0', 1, 10],
  ['20..NOW', 1, 0],
  ['20..', 1, 0],
  ['20..30', 1, 0],
  ['~30..~20', 1, 0],
  ['NOW', 10, 10],
  ['now', 10, 10],
  ['5', 5, 5],
  ['-1', 10, 10],
  ['~2', 8, 8],
  ['11', 1, 0],
  ['~10', 1, 0],
])('of ten snapshots %j is %i to %i', (text, from, to) => {
  expect(parseInterval(text, 10)).toEqual({ ok: true, from, to });
});

it.each(['', '..', 'NOW', '1', '~0', '1..NOW', '~5..~0', '3..7'])('without snapshots %j is empty', (text) => {
  expect(parseInterval(text, 0)).toEqual({ ok: true, from: 1, to: 0 });
});

it.each([
  [' ', "has ' ' where a whole number without leading zeros belongs"],
  ['0', 'has 0, and snapshots are numbered from 1'],
  ['~', "has '' where a whole number without leading zeros belongs"],
  ['prod', "has 'prod' where a whole number without leading zeros belongs"],
  [`${'1'.repeat(400)}..`, 'is longer than 400 characters'],
  ['0..5', 'has 0, and snapshots are numbered from 1'],
  ['..0', 'has 0, and snapshots are numbered from 1'],
  ['7..3', 'begins at 7 and ends at 3; the older one must come first'],
  ['NOW..~2', 'begins at 10 and ends at 8; the older one must come first'],
  ['1 .. 2', "has '1 ' where a whole number without leading zeros belongs"],
  ['1...2', "has '.2' where a whole number without leading zeros belongs"],
  ['#1..2', "has '#1' where a whole number without leading zeros belongs"],
  ['1..2..3', "has '2..3' where a whole number without leading zeros belongs"],
  ['1..@{now}', "has '@{now}' where a whole number without leading zeros belongs"],
  ['~..2', "has '' where a whole number without leading zeros belongs"],
  ['~-1..2', 'has -1 behind ~, where a number from 0 on belongs'],
  ['1..3000000000', "has the number '3000000000', and 2147483647 is the largest"],
])('%j is refused', (text, problem) => {
  expect(parseInterval(text, 10)).toEqual({ ok: false, problem: `${problem}; ${FORMS}` });
});

it('is refused without snapshots as well when it is no interval', () => {
  expect(parseInterval('x..', 0)).toMatchObject({ ok: false });
});
