import { expect, it } from 'vitest';
import { parseExpression } from './parse-expression.ts';

const FORMS = 'write N, #N, -N, ~N, @{2026-11-01T12:00:00}, @{3.days.ago} or @{now}';

it.each([
  ['7', { kind: 'index', index: 7 }],
  ['#7', { kind: 'index', index: 7 }],
  ['-1', { kind: 'index', index: -1 }],
  ['#-2', { kind: 'index', index: -2 }],
  ['2147483647', { kind: 'index', index: 2_147_483_647 }],
  ['~0', { kind: 'behind', count: 0 }],
  ['~12', { kind: 'behind', count: 12 }],
  ['@{2026-11-01T12:30:59}', { kind: 'moment', at: new Date('2026-11-01T12:30:59Z') }],
  ['@{2026-11-01T12:30:59Z}', { kind: 'moment', at: new Date('2026-11-01T12:30:59Z') }],
  ['@{2024-02-29T00:00:00}', { kind: 'moment', at: new Date('2024-02-29T00:00:00Z') }],
  ['@{0001-01-01T00:00:00}', { kind: 'moment', at: new Date('0001-01-01T00:00:00Z') }],
  ['@{9999-12-31T23:59:59}', { kind: 'moment', at: new Date('9999-12-31T23:59:59Z') }],
  ['@{1.hour.ago}', { kind: 'ago', amount: 1, unit: 'hours' }],
  ['@{3.days.ago}', { kind: 'ago', amount: 3, unit: 'days' }],
  ['@{2.weeks.ago}', { kind: 'ago', amount: 2, unit: 'weeks' }],
  ['@{1.months.ago}', { kind: 'ago', amount: 1, unit: 'months' }],
  ['@{now}', { kind: 'now' }],
  ['@{NOW}', { kind: 'now' }],
])('%s is understood', (text, expression) => {
  expect(parseExpression(text)).toEqual({ ok: true, expression });
});

const NO_NUMBER = (text: string) => `has '${text}' where a whole number without leading zeros belongs`;
const NO_TIME = (text: string) => `has '${text}' where a time belongs`;
const NO_DATE = (text: string) => `has '${text}', which is not a valid date and time`;
const NO_BRACES = 'has no time between @{ and }';

it.each([
  ['', 'is empty'],
  ['1'.repeat(401), 'is longer than 400 characters'],
  ['0', 'is 0, and snapshots are numbered from 1'],
  ['#0', 'is 0, and snapshots are numbered from 1'],
  ['-0', NO_NUMBER('-0')],
  ['+1', NO_NUMBER('+1')],
  ['007', NO_NUMBER('007')],
  ['--1', NO_NUMBER('--1')],
  ['1.5', NO_NUMBER('1.5')],
  ['1e3', NO_NUMBER('1e3')],
  ['##1', NO_NUMBER('#1')],
  ['#', NO_NUMBER('')],
  ['~', NO_NUMBER('')],
  ['~~1', NO_NUMBER('~1')],
  [' 1', NO_NUMBER(' 1')],
  ['1 ', NO_NUMBER('1 ')],
  ['1\n', NO_NUMBER('1\n')],
  [`#${'x'.repeat(50)}`, NO_NUMBER(`${'x'.repeat(40)}…`)],
  ['2147483648', "has the number '2147483648', and 2147483647 is the largest"],
  ['-2147483648', "has the number '-2147483648', and 2147483647 is the largest"],
  ['~99999999999', "has the number '99999999999', and 2147483647 is the largest"],
  ['~-1', 'has -1 behind ~, where a number from 0 on belongs'],
  ['@', NO_BRACES],
  ['@{', NO_BRACES],
  ['@}', NO_BRACES],
  ['@now', NO_BRACES],
  ['@{now} ', NO_BRACES],
  ['@{}', NO_TIME('')],
  ['@{ now}', NO_TIME(' now')],
  ['@{2026-11-01}', NO_TIME('2026-11-01')],
  ['@{2026-11-01 12:00:00}', NO_TIME('2026-11-01 12:00:00')],
  ['@{2026-11-01T12:00:00+01:00}', NO_TIME('2026-11-01T12:00:00+01:00')],
  ['@{2026-11-01T12:00:00ZZ}', NO_TIME('2026-11-01T12:00:00ZZ')],
  ['@{2026-11-01T12:00:00.5}', NO_TIME('2026-11-01T12:00:00.5')],
  ['@{2026-02-29T00:00:00}', NO_DATE('2026-02-29T00:00:00')],
  ['@{2026-04-31T00:00:00}', NO_DATE('2026-04-31T00:00:00')],
  ['@{2026-13-01T00:00:00}', NO_DATE('2026-13-01T00:00:00')],
  ['@{2026-00-01T00:00:00}', NO_DATE('2026-00-01T00:00:00')],
  ['@{2026-01-00T00:00:00}', NO_DATE('2026-01-00T00:00:00')],
  ['@{2026-01-01T24:00:00}', NO_DATE('2026-01-01T24:00:00')],
  ['@{2026-01-01T00:60:00}', NO_DATE('2026-01-01T00:60:00')],
  ['@{2026-01-01T00:00:60}', NO_DATE('2026-01-01T00:00:60')],
  ['@{0000-01-01T00:00:00}', NO_DATE('0000-01-01T00:00:00')],
  ['@{3.days}', NO_TIME('3.days')],
  ['@{.ago}', NO_NUMBER('')],
  ['@{days.ago}', NO_NUMBER('days')],
  ['@{03.days.ago}', NO_NUMBER('03')],
  ['@{0.days.ago}', 'has 0 instead of a number of at least 1'],
  ['@{-1.days.ago}', 'has -1 instead of a number of at least 1'],
  ['@{3.years.ago}', "has 'years' where hours, days, weeks or months belongs"],
  ['@{3.constructor.ago}', "has 'constructor' where hours, days, weeks or months belongs"],
  ['@{3.ago}', "has '' where hours, days, weeks or months belongs"],
  ['@{3.days.days.ago}', "has 'days.days' where hours, days, weeks or months belongs"],
  ['@{3000000000.days.ago}', "has the number '3000000000', and 2147483647 is the largest"],
])('%j is refused', (text, problem) => {
  expect(parseExpression(text)).toEqual({ ok: false, problem: `${problem}; ${FORMS}` });
});

it.each(['now', 'latest', '٣', ' ', 'x'.repeat(500)])('%j is none of the forms', (text) => {
  expect(parseExpression(text)).toEqual({ ok: false, problem: `is none of the forms ${FORMS.slice('write '.length)}` });
});
