import { expect, it } from 'vitest';
import { bucketsOf } from './buckets.ts';

const at = (text: string) => new Date(`${text}Z`);

it('are the days that a window touches', () => {
  const buckets = bucketsOf(at('2026-03-01T23:59:59'), at('2026-03-03T00:00:00'), 'day');
  expect(buckets).toMatchObject({ first: at('2026-03-01T00:00:00'), seconds: 86_400, count: 3 });
});

it('are the hours that it touches', () => {
  const buckets = bucketsOf(at('2026-03-01T23:59:59'), at('2026-03-02T01:00:00'), 'hour');
  expect(buckets).toMatchObject({ first: at('2026-03-01T23:00:00'), seconds: 3_600, count: 3 });
});

it('are one when the window is a moment', () => {
  expect(bucketsOf(at('2026-03-01T00:00:00'), at('2026-03-01T00:00:00'), 'day').count).toBe(1);
});

it('are weeks from Monday on', () => {
  // 2026-03-01 is a Sunday, the 2nd a Monday.
  expect(bucketsOf(at('2026-03-01T12:00:00'), at('2026-03-02T00:00:00'), 'week')).toMatchObject({
    first: at('2026-02-23T00:00:00'),
    count: 2,
  });
  expect(bucketsOf(at('2026-03-02T00:00:00'), at('2026-03-08T23:59:59'), 'week')).toMatchObject({
    first: at('2026-03-02T00:00:00'),
    count: 1,
  });
  expect(bucketsOf(at('1970-01-01T00:00:00'), at('1970-01-05T00:00:00'), 'week')).toMatchObject({
    first: at('1969-12-29T00:00:00'),
    count: 2,
  });
});

it('are 400 at most', () => {
  const to = at('2026-12-31T10:00:00');
  const daysBefore = (days: number) => new Date(to.getTime() - days * 86_400_000);
  expect(bucketsOf(daysBefore(399), to, 'day').count).toBe(400);
  expect(() => bucketsOf(daysBefore(400), to, 'day')).toThrow(
    expect.objectContaining({ fields: { 'query.from': 'is too early: a window can have at most 400 days' } }),
  );
});
