import type { TimelineLane, TimelineRun } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { clip, gapsIn, groupMarks, hasSign, layLanes, tracksOf, versionOf } from './timeline-layout.ts';

const span = { from: 100, to: 1100 };
const x = (at: number) => at - 100;

function run(from: number, until: number | null, more: Partial<TimelineRun> = {}): TimelineRun {
  return {
    fingerprint: 'a'.repeat(64),
    name: 'ghcr.io/acme/app:1.2.0',
    flow_name: '',
    trail_name: '',
    git_commit: '',
    instances: 1,
    from,
    until,
    states: [{ from: Math.max(from, 100), until: Math.min(until ?? 1100, 1100), compliance: 'compliant' }],
    ...more,
  };
}
const lane = (name: string, ...runs: TimelineRun[]): TimelineLane => ({ name, flow_name: '', runs });

describe('clipping', () => {
  it('keeps what is in the window', () => {
    expect(clip(50, 300, span)).toEqual({ from: 100, until: 300 });
    expect(clip(300, null, span)).toEqual({ from: 300, until: 1100 });
    expect(clip(20, 100, span)).toBeUndefined();
    expect(clip(1100, null, span)).toBeUndefined();
  });

  it('clips stale periods, of which the last may be open', () => {
    const gaps = [
      { from: 0, until: 150 },
      { from: 1000, until: null },
    ];
    expect(gapsIn({ gaps }, span)).toEqual([
      { from: 100, until: 150 },
      { from: 1000, until: 1100 },
    ]);
  });
});

describe('lanes', () => {
  it('put consecutive runs on one track, and overlapping runs on two', () => {
    expect(tracksOf([run(100, 200), run(200, 300), run(250, null)], span).map((runs) => runs.length)).toEqual([2, 1]);
  });

  it('stand below each other, higher where there are more tracks', () => {
    const { lanes, bottom } = layLanes([lane('one', run(100, 500), run(300, null)), lane('two', run(0, null))], {
      span,
      x,
      top: 40,
      labelHeight: 0,
    });
    expect(lanes.map(({ top }) => top)).toEqual([40, 40 + 2 * 28 + 8]);
    expect(bottom).toBe(40 + 2 * 28 + 8 + 28 + 8);
    expect(lanes[1]?.bars[0]).toMatchObject({ x: 0, width: 1000, y: 104 });
  });

  it('leave room for names above the bars', () => {
    const { lanes } = layLanes([lane('one', run(100, 500))], { span, x, top: 0, labelHeight: 18 });
    expect(lanes[0]).toMatchObject({ top: 0, height: 46, bars: [{ y: 18 }] });
  });

  it('write the version in the widest part when it fits, and nowhere else', () => {
    const states = [
      { from: 100, until: 130, compliance: 'non-compliant' as const },
      { from: 130, until: 500, compliance: 'waived' as const },
    ];
    const { lanes } = layLanes([lane('one', run(100, 500, { states }), run(600, 620))], {
      ...{ span, x, top: 0, labelHeight: 0 },
    });
    const [long, short] = lanes[0]?.bars ?? [];
    expect(long?.segments.map(({ width, state }) => [width, state])).toEqual([
      [30, 'non-compliant'],
      [370, 'waived'],
    ]);
    expect(long?.label).toEqual({ x: 50, text: '1.2.0', state: 'waived' });
    expect(short?.label).toBeUndefined();
    expect(long?.segments.map(hasSign)).toEqual([true, true]);
    expect(hasSign({ x: 0, width: 300, state: 'compliant' })).toBe(false);
  });

  it('draw a run without a verdict as unknown, and the shortest as visible', () => {
    const { lanes } = layLanes([lane('one', run(200, 200.1, { states: [] }))], { span, x, top: 0, labelHeight: 0 });
    expect(lanes[0]?.bars[0]).toMatchObject({ width: 1.5, segments: [{ state: 'unknown' }] });
  });
});

describe('the version of a run', () => {
  it.each([
    ['ghcr.io/acme/app:1.2.0', '1.2.0'],
    ['localhost:5000/app', 'aaaaaaa'],
    ['ghcr.io/acme/app:1.2.0@sha256:abc', '1.2.0'],
    ['/opt/app/server.jar', 'aaaaaaa'],
  ])('of %s is %s', (name, version) => {
    expect(versionOf({ name, fingerprint: 'a'.repeat(64) })).toBe(version);
  });
  it('is not made up', () => {
    expect(versionOf({ name: 'mystery', fingerprint: '' })).toBe('not identified');
  });
});

it('merges signs that are too close', () => {
  const mark = (at: number) => ({ at, kind: 'policy' as const, text: `at ${at}` });
  expect(
    groupMarks([mark(200), mark(205), mark(260)], x, 14).map(({ x: place, marks }) => [place, marks.length]),
  ).toEqual([
    [100, 2],
    [160, 1],
  ]);
});
