import { describe, expect, it } from 'vitest';
import { compareStrips, type PastOf, secondsOf, stripAfter, stripBefore } from './back-test-strips.ts';

const span = { from: 0, to: 100 };
const shop = { name: 'shop', fingerprint: 'a' };
const audit = { name: 'audit', fingerprint: 'b' };

type State = 'compliant' | 'non-compliant' | 'unknown';
const run = (artifact: typeof shop, ...states: [number, number, State][]) => ({
  ...artifact,
  flow_name: '',
  trail_name: '',
  git_commit: '',
  instances: 1,
  from: 0,
  until: null,
  states: states.map(([from, until, compliance]) => ({ from, until, compliance })),
});

function past(compliance: [number, number, State][], ...runs: ReturnType<typeof run>[]): PastOf {
  return {
    lanes: [{ name: 'lane', flow_name: '', runs }],
    total_lanes: 1,
    truncated: false,
    snapshots: [10, 20, 40, 60].map((at, i) => ({ index: i + 1, at, compliance: 'compliant' as const })),
    compliance: compliance.map(([from, until, state]) => ({ from, until, compliance: state })),
    gaps: [],
  };
}

const flip = (
  artifact: typeof shop,
  to: State,
  snapshot_index: number,
  until_index: number | null,
  timestamp: number,
) => ({
  artifact,
  to,
  snapshot_index,
  until_index,
  timestamp,
});

describe('the strip with the draft', () => {
  it('is as recorded without flips', () => {
    const recorded = past(
      [
        [10, 40, 'compliant'],
        [40, 100, 'non-compliant'],
      ],
      run(shop, [10, 40, 'compliant'], [40, 100, 'non-compliant']),
    );
    expect(stripAfter(recorded, [], span)).toEqual(stripBefore(recorded));
  });

  it('turns red for as long as a flip lasts', () => {
    const recorded = past([[10, 100, 'compliant']], run(shop, [10, 100, 'compliant']));
    expect(stripAfter(recorded, [flip(shop, 'non-compliant', 2, 4, 20)], span)).toEqual([
      { from: 10, until: 20, state: 'compliant' },
      { from: 20, until: 60, state: 'non-compliant' },
      { from: 60, until: 100, state: 'compliant' },
    ]);
  });

  it('turns green only where nothing else fails', () => {
    const recorded = past(
      [[10, 100, 'non-compliant']],
      run(shop, [10, 100, 'non-compliant']),
      run(audit, [60, 100, 'non-compliant']),
    );
    expect(stripAfter(recorded, [flip(shop, 'compliant', 1, null, 10)], span)).toEqual([
      { from: 10, until: 60, state: 'compliant' },
      { from: 60, until: 100, state: 'non-compliant' },
    ]);
  });

  it('stays red where the failing artifact is not among the known lanes', () => {
    expect(stripAfter(past([[10, 100, 'non-compliant']]), [], span)).toEqual([
      { from: 10, until: 100, state: 'non-compliant' },
    ]);
  });

  it('stays unknown in stale periods, and judges what no policy judged before', () => {
    expect(
      stripAfter(
        {
          ...past(
            [
              [10, 50, 'compliant'],
              [50, 100, 'unknown'],
            ],
            run(shop, [10, 100, 'compliant']),
          ),
          gaps: [{ from: 50, until: null }],
        },
        [flip(shop, 'non-compliant', 1, null, 10)],
        span,
      ),
    ).toEqual([
      { from: 10, until: 50, state: 'non-compliant' },
      { from: 50, until: 100, state: 'unknown' },
    ]);
    expect(stripAfter(past([[10, 100, 'unknown']], run(shop, [10, 100, 'unknown'])), [], span)).toEqual([
      { from: 10, until: 100, state: 'compliant' },
    ]);
  });

  it('is unknown from the snapshot at which the test stopped', () => {
    const recorded = past(
      [
        [10, 60, 'compliant'],
        [60, 100, 'unknown'],
      ],
      run(shop, [10, 60, 'compliant'], [60, 100, 'unknown']),
    );
    const flips = [flip(shop, 'non-compliant', 2, null, 20)];
    expect(stripAfter(recorded, flips, span, 3)).toEqual([
      { from: 10, until: 20, state: 'compliant' },
      { from: 20, until: 40, state: 'non-compliant' },
      { from: 40, until: 100, state: 'unknown' },
    ]);
    const thinned = { ...recorded, snapshots: recorded.snapshots.filter(({ index }) => index !== 3) };
    expect(stripAfter(thinned, flips, span, 3).at(-1)).toEqual({ from: 20, until: 100, state: 'unknown' });
  });

  it('is unknown where an artifact outside the known lanes may still fail', () => {
    const recorded = past([[10, 100, 'non-compliant']], run(shop, [10, 100, 'non-compliant']));
    const flips = [flip(shop, 'compliant', 2, 4, 20)];
    expect(stripAfter({ ...recorded, total_lanes: 2 }, flips, span)).toEqual([
      { from: 10, until: 20, state: 'non-compliant' },
      { from: 20, until: 60, state: 'unknown' },
      { from: 60, until: 100, state: 'non-compliant' },
    ]);
  });

  it('starts an older flip with the span', () => {
    const recorded = past([[30, 100, 'compliant']], run(shop, [30, 100, 'compliant']));
    expect(stripAfter(recorded, [flip(shop, 'non-compliant', 1, null, 5)], { from: 30, to: 100 })).toEqual([
      { from: 30, until: 100, state: 'non-compliant' },
    ]);
  });
});

it('sums the time in each state', () => {
  const strip = stripBefore(
    past([
      [0, 10, 'compliant'],
      [10, 30, 'non-compliant'],
      [30, 35, 'compliant'],
    ]),
  );
  expect([secondsOf(strip, 'compliant'), secondsOf(strip, 'non-compliant')]).toEqual([15, 20]);
});

it('puts both strips side by side', () => {
  expect(
    compareStrips(
      [{ from: 0, until: 100, state: 'compliant' }],
      [
        { from: 0, until: 30, state: 'compliant' },
        { from: 30, until: 100, state: 'non-compliant' },
      ],
    ),
  ).toEqual([
    { from: 0, until: 30, before: 'compliant', after: 'compliant' },
    { from: 30, until: 100, before: 'compliant', after: 'non-compliant' },
  ]);
});
