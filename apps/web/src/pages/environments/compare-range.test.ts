import { expect, it } from 'vitest';
import { indexIn, momentWords, readRange, snappishOf, writeSide } from './compare-range.ts';

it.each([
  ['170..171', 'prod#170', 'prod#171'],
  ['-2..-1', 'prod#-2', 'prod#-1'],
  ['~1..@{now}', 'prod~1', 'prod@{now}'],
  ['@{1.day.ago}..@{now}', 'prod@{1.day.ago}', 'prod@{now}'],
  ['staging@@{now}..@{now}', 'staging@{now}', 'prod@{now}'],
  ['staging@190..prod@171', 'staging#190', 'prod#171'],
  ['eu.prod#7..a..b~2', 'eu.prod#7', 'a..b~2'],
  ['@{2026-11-01T12:00:00}..#7', 'prod@{2026-11-01T12:00:00}', 'prod#7'],
])('%s compares %s with %s', (text, before, after) => {
  const range = readRange(text, 'prod');
  expect(range && [snappishOf(range.before), snappishOf(range.after)]).toEqual([before, after]);
  expect(range && readRange(`${writeSide(range.before, 'prod')}..${writeSide(range.after, 'prod')}`, 'prod')).toEqual(
    range,
  );
});

it.each(['', '7', '7..', '..7', 'a b..7', '7...8', '<b>@1..2'])('%s compares nothing', (text) =>
  expect(readRange(text, 'prod')).toBeUndefined(),
);

it("finds the number in the API's name of a snapshot", () => {
  expect([indexIn('prod#7'), indexIn(null), indexIn('prod')]).toEqual([7, undefined, undefined]);
});

it('describes a moment in words', () => {
  expect(['@{now}', '@{1.day.ago}', '@{3.weeks.ago}', '7', '#7', '~1', '-2'].map(momentWords)).toEqual([
    'now',
    '1 day ago',
    '3 weeks ago',
    '#7',
    '#7',
    '1 before the latest',
    '-2',
  ]);
});
