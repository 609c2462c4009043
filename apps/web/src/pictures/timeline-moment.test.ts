import type { Timeline } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import {
  expressionOf,
  joinSnapshots,
  momentOf,
  nearestSnapshot,
  placeOf,
  runningAt,
  snapshotAt,
  stepFrom,
} from './timeline-moment.ts';

const tick = (index: number, at: number) => ({ index, at, compliance: 'compliant' as const });
const snapshots = [tick(7, 200), tick(8, 400), tick(9, 700)];

const run = {
  fingerprint: 'f',
  name: 'app:1',
  flow_name: '',
  trail_name: '',
  git_commit: '',
  instances: 1,
  from: 50,
  until: 600,
  states: [
    { from: 100, until: 300, compliance: 'compliant' as const },
    { from: 300, until: 600, compliance: 'non-compliant' as const },
  ],
};

const timeline: Timeline = {
  environment: 'prod',
  from: 100,
  to: 1000,
  page: 1,
  per_page: 50,
  total_lanes: 1,
  lanes: [{ name: 'app', flow_name: '', runs: [run] }],
  truncated: false,
  runs_from: null,
  snapshot_count: 3,
  snapshots,
  density: [],
  gaps: [{ from: 900, until: null }],
  marks: [],
  compliance: [
    { from: 150, until: 400, compliance: 'compliant' },
    { from: 400, until: 900, compliance: 'non-compliant' },
    { from: 900, until: 1000, compliance: 'unknown' },
  ],
};

describe('snapshots', () => {
  it('are found by the time at which they hold, or as the nearest', () => {
    expect(snapshotAt(snapshots, 199)).toBeUndefined();
    expect(snapshotAt(snapshots, 200)?.index).toBe(7);
    expect(snapshotAt(snapshots, 9999)?.index).toBe(9);
    expect(nearestSnapshot(snapshots, 310)?.index).toBe(8);
    expect(nearestSnapshot(snapshots, 290)?.index).toBe(7);
    expect(nearestSnapshot(snapshots, 0)?.index).toBe(7);
    expect(nearestSnapshot([], 0)).toBeUndefined();
  });

  it('are stepped through from the one that holds', () => {
    expect(stepFrom(snapshots, 450, 1)?.index).toBe(9);
    expect(stepFrom(snapshots, 450, -1)?.index).toBe(7);
    expect(stepFrom(snapshots, 250, -1)).toBeUndefined();
    expect(stepFrom(snapshots, 700, 1)).toBeUndefined();
  });

  it('of two windows are joined', () => {
    expect(joinSnapshots(snapshots, [tick(6, 10), tick(8, 400)]).map(({ index }) => index)).toEqual([6, 7, 8, 9]);
  });
});

describe('a moment', () => {
  it('has the snapshot that held, for how long, and what ran', () => {
    const moment = momentOf(timeline, snapshots, 450);
    expect(moment).toMatchObject({ index: 8, since: 400, until: 700, state: 'non-compliant', isStale: false });
    expect(moment.running.map(({ state }) => state)).toEqual(['non-compliant']);
    expect(runningAt(timeline.lanes, 120)[0]?.state).toBe('compliant');
    expect(runningAt(timeline.lanes, 600)).toEqual([]);
  });

  it('before the first snapshot of the window is that of the one before', () => {
    expect(momentOf(timeline, snapshots, 160)).toMatchObject({ index: 6, since: undefined, state: 'compliant' });
    const first = { ...timeline, snapshots: [tick(1, 200)], snapshot_count: 1 };
    expect(momentOf(first, first.snapshots, 160)).toMatchObject({ index: undefined });
    expect(momentOf(first, first.snapshots, 120)).toMatchObject({ isBefore: true });
  });

  it('has no number where snapshots were left out', () => {
    const older = [tick(2, 20), ...snapshots];
    expect(momentOf(timeline, older, 160)).toMatchObject({ index: 6, since: undefined, until: 200 });
    const sampled = { ...timeline, snapshot_count: 30 };
    expect(momentOf(sampled, older, 160)).toMatchObject({ index: undefined });
    expect(momentOf(sampled, [tick(7, 200), tick(20, 700)], 300)).toMatchObject({ index: undefined, since: undefined });
  });

  it('outside of the window is not judged by it', () => {
    const outside = { isOutside: true, isBefore: false, state: 'unknown', running: [] };
    expect(momentOf(timeline, snapshots, timeline.to + 1)).toMatchObject({ ...outside, index: 9 });
    expect(momentOf(timeline, snapshots, timeline.from - 1)).toMatchObject(outside);
    expect(momentOf(timeline, snapshots, timeline.to)).toMatchObject({ isOutside: false });
  });

  it('in a stale period is unknown', () => {
    expect(momentOf(timeline, snapshots, 950)).toMatchObject({ state: 'unknown', isStale: true, until: undefined });
  });

  it('is named by its number, or by its time', () => {
    expect(expressionOf({ index: 8 }, 450)).toBe('8');
    expect(expressionOf({ index: undefined }, 1_794_182_400)).toBe('@{2026-11-09T00:00:00}');
  });
});

it('distinguishes a snapshot number from a time', () => {
  expect(placeOf(undefined)).toBeUndefined();
  expect(placeOf(421)).toEqual({ snapshot: 421 });
  expect(placeOf(1_794_182_400)).toEqual({ time: 1_794_182_400 });
});
