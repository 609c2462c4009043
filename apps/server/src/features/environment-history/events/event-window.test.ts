import { describe, expect, it } from 'vitest';
import { indexesIn, timeWindowOf, type WindowQuery, windowOf } from './event-window.ts';

const NOW = new Date('2026-11-15T12:00:00Z');
const LATEST = 10;

const index = (value: number) => ({ kind: 'index', index: value });
const moment = (iso: string) => ({ kind: 'moment', at: new Date(iso) });

describe('a window', () => {
  it.each<[WindowQuery, unknown, unknown]>([
    [{}, undefined, undefined],
    [{ interval: '', start: '', end: '', start_ts: '', end_ts: '', from: '', to: '' }, undefined, undefined],
    [{ start: '3', end: '5' }, index(3), index(5)],
    [{ start: '-3', end: '-1' }, index(8), index(10)],
    [{ start: '2h', end: 'NOW' }, moment('2026-11-15T10:00:00Z'), moment('2026-11-15T12:00:00Z')],
    [{ start_ts: 1, end_ts: 2.5 }, moment('1970-01-01T00:00:01Z'), moment('1970-01-01T00:00:02.500Z')],
    [{ from: 1, to: 2 }, moment('1970-01-01T00:00:01Z'), moment('1970-01-01T00:00:02Z')],
    [{ from: 1, start_ts: 1 }, moment('1970-01-01T00:00:01Z'), undefined],
    [{ start: 'NOW', end: '-1' }, moment('2026-11-15T12:00:00Z'), index(10)],
    [{ start: 'NOW', end: '12' }, moment('2026-11-15T12:00:00Z'), index(12)],
    [{ interval: '2..4' }, index(2), index(4)],
    [{ interval: '~2..' }, index(8), index(10)],
    [{ interval: 'NOW' }, index(10), index(10)],
    [{ interval: '5' }, index(5), index(5)],
  ])('%j', (query, lower, upper) => {
    expect(windowOf(query, NOW, LATEST)).toEqual({ lower, upper });
  });

  it('goes by seconds before words and by words before the interval, each bound for itself', () => {
    const query = { start: '3', end: '5', interval: '1..7' };
    expect(windowOf(query, NOW, LATEST)).toEqual({ lower: index(3), upper: index(5) });
    expect(windowOf({ start: '3', interval: '1..7' }, NOW, LATEST)).toEqual({ lower: index(3), upper: index(7) });
    expect(windowOf({ ...query, end_ts: 9 }, NOW, LATEST)).toEqual({
      lower: index(3),
      upper: moment('1970-01-01T00:00:09Z'),
    });
  });

  it('accepts milliseconds as the API returned them', () => {
    const at = new Date('2026-11-15T06:40:06.123Z');
    expect(windowOf({ start_ts: at.getTime() / 1000 }, NOW, LATEST).lower).toEqual({ kind: 'moment', at });
  });

  it.each<[WindowQuery, number | null, Record<string, string>]>([
    [{ start: '5', end: '3' }, 10, { 'query.start': 'is after query.end; the earlier time must come first' }],
    [{ start: '-1', end: '-3' }, 10, { 'query.start': 'is after query.end; the earlier time must come first' }],
    [{ start: '1h', end: '2h' }, 10, { 'query.start': 'is after query.end; the earlier time must come first' }],
    [{ start: 'NOW', end: '1' }, 10, { 'query.start': 'is after query.end; the earlier time must come first' }],
    [{ start: 'now', end: '-2' }, 10, { 'query.start': 'is after query.end; the earlier time must come first' }],
    [{ start_ts: 2, end_ts: 1 }, 10, { 'query.start_ts': 'is after query.end_ts; the earlier time must come first' }],
    [{ from: 2, to: 1 }, null, { 'query.from': 'is after query.to; the earlier time must come first' }],
    [{ start_ts: 1, from: 2 }, 10, { 'query.from': 'is an alias of start_ts, and the two values differ' }],
    [{ end_ts: 1, to: 2 }, 10, { 'query.to': 'is an alias of end_ts, and the two values differ' }],
    [{ start: '0' }, 10, { 'query.start': expect.stringContaining('numbered from 1') }],
    [{ end: 'soon' }, 10, { 'query.end': expect.stringContaining('neither an index nor a duration') }],
    [{ interval: 'x' }, 10, { 'query.interval': expect.stringContaining("has 'x'") }],
    [{ interval: '0..3' }, 10, { 'query.interval': expect.stringContaining('numbered from 1') }],
    [{ interval: '5..3' }, 10, { 'query.interval': expect.stringContaining('older one must come first') }],
    [{ start: '3' }, null, { 'query.start': expect.stringContaining('no snapshot numbers') }],
    [{ end: '-1' }, null, { 'query.end': expect.stringContaining('no snapshot numbers') }],
    [{ interval: '1..NOW' }, null, { 'query.interval': expect.stringContaining('no snapshot numbers') }],
  ])('%j of %j is refused', (query, latest, fields) => {
    expect(() => windowOf(query, NOW, latest)).toThrow(expect.objectContaining({ code: 'invalid', fields }));
  });

  it('of an environment without snapshots of its own is bounded by times', () => {
    expect(windowOf({ start: '1h', interval: '..now' }, NOW, null)).toEqual({
      lower: moment('2026-11-15T11:00:00Z'),
      upper: undefined,
    });
  });

  it('of the audit log is refused when it is reversed', () => {
    expect(() => timeWindowOf({ a: 2, b: 1 }, 'a', 'b')).toThrow(expect.objectContaining({ code: 'invalid' }));
    expect(timeWindowOf({ a: '', b: '' }, 'a', 'b')).toEqual({ lower: undefined, upper: undefined });
  });
});

describe('indexes', () => {
  it.each<[WindowQuery, number, number]>([
    [{}, 1, 10],
    [{ start: '3', end: '99' }, 3, 10],
    [{ start: '-99' }, 1, 10],
    [{ start: '12' }, 12, 10],
    [{ end: '-11' }, 1, 0],
    [{ start: '8', end: '-5' }, 8, 6],
    [{ start_ts: 5, end: '4' }, 1, 4],
  ])('%j', (query, first, last) => {
    expect(indexesIn(windowOf(query, NOW, LATEST), LATEST)).toEqual({ first, last });
  });
});
