import { describe, expect, it } from 'vitest';
import { environmentsOf, runsOf } from './artifact-runs.ts';

const started = (environment: string, snapshot: number, timestamp: number) => ({
  event: `Started running in '${environment}', snapshot ${snapshot}`,
  timestamp,
});
const stopped = (environment: string, snapshot: number, timestamp: number) => ({
  event: `Stopped running in '${environment}', snapshot ${snapshot}`,
  timestamp,
});

describe('where an artifact ran', () => {
  it('follows from its starts and stops, newest first, a rollback as a run of its own', () => {
    const history = [
      { event: 'Artifact reported', timestamp: 1 },
      started('staging', 3, 10),
      stopped('staging', 4, 20),
      started('prod', 7, 25),
      started('staging', 6, 30),
    ];
    const running = [
      { environment_name: 'prod', snapshot_index: 7 },
      { environment_name: 'staging', snapshot_index: 6 },
    ];
    expect(runsOf({ history, running, exited: [] })).toEqual([
      { environment: 'staging', from: 30, until: null, startedIn: 6, exitedIn: null, isRunning: true },
      { environment: 'prod', from: 25, until: null, startedIn: 7, exitedIn: null, isRunning: true },
      { environment: 'staging', from: 10, until: 20, startedIn: 3, exitedIn: 4, isRunning: false },
    ]);
  });

  it('has no start where the history does not reach back that far', () => {
    expect(runsOf({ history: [stopped('prod', 9, 50)], running: [], exited: [] })).toMatchObject([
      { environment: 'prod', from: null, until: 50 },
    ]);
    expect(
      runsOf({
        history: [],
        running: [{ environment_name: 'prod', snapshot_index: 2 }],
        exited: [{ environment_name: 'dev', snapshot_index: 5 }],
      }),
    ).toMatchObject([
      { environment: 'prod', startedIn: 2, isRunning: true },
      { environment: 'dev', exitedIn: 5, isRunning: false },
    ]);
  });

  it('is not running where no report lists it any more', () => {
    expect(runsOf({ history: [started('archived', 1, 10)], running: [], exited: [] })).toMatchObject([
      { until: null, isRunning: false },
    ]);
  });
});

it('lists an environment once, however often it ran there', () => {
  const history = [
    started('staging', 3, 10),
    stopped('staging', 4, 20),
    started('prod', 7, 25),
    started('staging', 6, 30),
  ];
  expect(environmentsOf(runsOf({ history, running: [], exited: [] }))).toEqual(['staging', 'prod']);
});
