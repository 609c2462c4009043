import { expect, it } from 'vitest';
import { parseSnappish } from './parse-snappish.ts';

const FORMS = 'write ENV, ENV#N, ENV~N, ENV@{2026-11-01T12:00:00}, ENV@{3.days.ago} or ENV@{now}';

it.each([
  ['prod', 'prod', { kind: 'index', index: -1 }],
  ['prod-1', 'prod-1', { kind: 'index', index: -1 }],
  ['7', '7', { kind: 'index', index: -1 }],
  ['prod.eu_1-a#7', 'prod.eu_1-a', { kind: 'index', index: 7 }],
  ['prod#-2', 'prod', { kind: 'index', index: -2 }],
  ['prod~1', 'prod', { kind: 'behind', count: 1 }],
  ['prod@{2.days.ago}', 'prod', { kind: 'ago', amount: 2, unit: 'days' }],
  ['prod@{2026-11-01T12:00:00}', 'prod', { kind: 'moment', at: new Date('2026-11-01T12:00:00Z') }],
  ['prod@{now}', 'prod', { kind: 'now' }],
])('%s is understood', (text, env, expression) => {
  expect(parseSnappish(text)).toEqual({ ok: true, env, expression });
});

const NO_ENV = (text: string) =>
  `has '${text}' where an environment belongs: letters, digits, and . - _ after a letter or digit`;

it.each([
  ['', 'is empty'],
  ['a'.repeat(401), 'is longer than 400 characters'],
  ['#7', 'has no environment in front'],
  ['~1', 'has no environment in front'],
  ['-prod', NO_ENV('-prod')],
  ['pro d#1', NO_ENV('pro d')],
  ['prod/eu', NO_ENV('prod/eu')],
  ['prod\n', NO_ENV('prod\n')],
  ['prod#1~2', 'has more than one of #, ~ and @'],
  ['prod~~1', 'has more than one of #, ~ and @'],
  ['prod@{now}#1', 'has more than one of #, ~ and @'],
  ['prod#', "has '' where a whole number without leading zeros belongs"],
  ['prod#0', 'is 0, and snapshots are numbered from 1'],
  ['prod~-1', 'has -1 behind ~, where a number from 0 on belongs'],
  ['prod@', 'has no time between @{ and }'],
  ['prod@{2.years.ago}', "has 'years' where hours, days, weeks or months belongs"],
])('%j is refused', (text, problem) => {
  expect(parseSnappish(text)).toEqual({ ok: false, problem: `${problem}; ${FORMS}` });
});
