import type { Artifact } from '@waymark/contract';

/** A period in which an artifact ran in an environment. */
export interface Run {
  readonly environment: string;
  /** Null when it started before the recorded history. */
  readonly from: number | null;
  /** Null until a report shows that it stopped. */
  readonly until: number | null;
  readonly startedIn: number | null;
  readonly exitedIn: number | null;
  /** Whether it runs as far as is known; false where it was still running when the environment was archived. */
  readonly isRunning: boolean;
}

type RunHistory = Pick<Artifact, 'history' | 'running' | 'exited'>;

const EVENT = /^(Started|Stopped) running in '([^']+)', snapshot (\d+)$/;

/** From the history of the artifact, newest start first. That holds the newest hundred starts and stops. */
export function runsOf({ history, running, exited }: RunHistory): Run[] {
  const now = new Set(running.map(({ environment_name }) => environment_name));
  const runs = history.toSorted((one, other) => one.timestamp - other.timestamp).reduce(withEvent, [] as Run[]);
  const inHistory = new Set(runs.map(({ environment }) => environment));
  return [
    ...runs,
    ...running.filter(({ environment_name }) => !inHistory.has(environment_name)).map(stillRunning),
    ...exited.filter(({ environment_name }) => !inHistory.has(environment_name)).map(longGone),
  ]
    .map((run) => ({ ...run, isRunning: run.until === null && run.exitedIn === null && now.has(run.environment) }))
    .sort((one, other) => (other.from ?? 0) - (one.from ?? 0));
}

/** Without duplicates, in the order of the runs. */
export function environmentsOf(runs: readonly Run[]): readonly string[] {
  return [...new Set(runs.map(({ environment }) => environment))];
}

/** A stop ends the longest run in that environment. */
function withEvent(runs: readonly Run[], { event, timestamp }: Artifact['history'][number]): Run[] {
  const [, verb, environment, index] = EVENT.exec(event) ?? [];
  if (environment === undefined) return [...runs];
  const snapshot = Number(index);
  const nothing = { environment, from: null, until: null, startedIn: null, exitedIn: null, isRunning: false };
  if (verb === 'Started') return [...runs, { ...nothing, from: timestamp, startedIn: snapshot }];
  const at = runs.findIndex((run) => run.environment === environment && run.until === null);
  const ended = { until: timestamp, exitedIn: snapshot };
  const run = runs[at];
  return run ? runs.with(at, { ...run, ...ended }) : [...runs, { ...nothing, ...ended }];
}

type Place = Artifact['running'][number];

function stillRunning({ environment_name, snapshot_index }: Place): Run {
  return {
    environment: environment_name,
    from: null,
    until: null,
    startedIn: snapshot_index,
    exitedIn: null,
    isRunning: true,
  };
}

function longGone({ environment_name, snapshot_index }: Place): Run {
  return {
    environment: environment_name,
    from: null,
    until: null,
    startedIn: null,
    exitedIn: snapshot_index,
    isRunning: false,
  };
}
