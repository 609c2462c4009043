import { expect, it } from 'vitest';
import { stationsOf } from './metro-line.ts';

it('goes from the commit through the build to each environment, in the order of time', () => {
  const stations = stationsOf({
    committedAt: 100,
    builtAt: 160,
    places: [
      { environment: 'prod', from: 900, isRunning: true },
      { environment: 'staging', from: 400, isRunning: false },
      { environment: 'staging', from: 200, isRunning: false },
    ],
    notYet: ['eu-prod'],
  });
  expect(stations.map(({ title, kind, at, after }) => [title, kind, at, after])).toEqual([
    ['Commit', 'commit', 100, null],
    ['Built', 'built', 160, 60],
    ['staging', 'left', 400, 240],
    ['prod', 'running', 900, 500],
    ['eu-prod', 'not yet', null, null],
  ]);
});

it('stays in an environment where it runs, however often it was started there', () => {
  const stations = stationsOf({
    committedAt: null,
    builtAt: 10,
    places: [
      { environment: 'prod', from: 20, isRunning: true },
      { environment: 'prod', from: 30, isRunning: false },
    ],
    notYet: [],
  });
  expect(stations[0]).toMatchObject({ kind: 'commit', at: null });
  expect(stations[2]).toMatchObject({ title: 'prod', kind: 'running', at: 20, after: 10 });
});
