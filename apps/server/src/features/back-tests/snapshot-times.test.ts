import { expect, it } from 'vitest';
import { inSnapshots, type SnapshotTimes } from './snapshot-times.ts';

/** Snapshots 1 to 9 begin at 10, 20, … 90. */
const TIMES: SnapshotTimes = {
  startOf: (index) => index * 10,
  indexAt: (seconds) => Math.min(9, Math.max(1, Math.floor(seconds / 10))),
};

const OLD = '[{}]';

it.each([
  ['one outcome', [{ since: 20, outcome: null }], ['2-8 null']],
  ['one failure', [{ since: 20, outcome: OLD }], [`2-8 ${OLD}`]],
  [
    'a failure from the middle of a snapshot on',
    [
      { since: 20, outcome: null },
      { since: 45, outcome: OLD },
    ],
    ['2-4 null', `4-8 ${OLD}`],
  ],
  [
    'a failure that ends in the middle of another',
    [
      { since: 20, outcome: null },
      { since: 45, outcome: OLD },
      { since: 65, outcome: null },
    ],
    ['2-4 null', `4-7 ${OLD}`, '7-8 null'],
  ],
  [
    'a failure within one snapshot',
    [
      { since: 20, outcome: null },
      { since: 43, outcome: OLD },
      { since: 47, outcome: null },
    ],
    ['2-4 null', `4-5 ${OLD}`, '5-8 null'],
  ],
])('shows %s in snapshots', (_, outcomes, expected) => {
  const joined: string[] = [];
  let last: { from: number; until: number; outcome: string | null } | undefined;
  for (const part of inSnapshots(outcomes, { from: 2, until: 8 }, TIMES)) {
    if (last?.outcome === part.outcome && last.until === part.from) last = { ...last, until: part.until };
    else {
      if (last) joined.push(`${last.from}-${last.until} ${last.outcome}`);
      last = part;
    }
  }
  if (last) joined.push(`${last.from}-${last.until} ${last.outcome}`);
  expect(joined).toEqual(expected);
});
