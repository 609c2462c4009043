import type { State } from '../ui/StateBadge.tsx';

/** A stop on the path of a change: the commit, the build, or an environment. */
export interface Station {
  readonly key: string;
  readonly title: string;
  readonly kind: 'commit' | 'built' | 'running' | 'left' | 'not yet';
  /** When it got there, in seconds; null when it has not, or that is unknown. */
  readonly at: number | null;
  /** How long after the station before, in seconds. */
  readonly after: number | null;
  readonly href?: string;
}

interface Travelled {
  readonly committedAt: number | null;
  readonly builtAt: number;
  readonly places: readonly {
    readonly environment: string;
    readonly from: number | null;
    readonly isRunning: boolean;
  }[];
  /** Environments where it never ran. */
  readonly notYet: readonly string[];
}

/** In order of time; environments that it has not reached come last. */
export function stationsOf({ committedAt, builtAt, places, notYet }: Travelled): Station[] {
  const reached = newestOfEach(places).toSorted((one, other) => (one.from ?? 0) - (other.from ?? 0));
  const stations: Omit<Station, 'after'>[] = [
    { key: 'commit', title: 'Commit', kind: 'commit', at: committedAt },
    { key: 'built', title: 'Built', kind: 'built', at: builtAt },
    ...reached.map(({ environment, from, isRunning }) => ({
      key: `in ${environment}`,
      title: environment,
      kind: isRunning ? ('running' as const) : ('left' as const),
      at: from,
    })),
    ...notYet.map((environment) => ({
      key: `in ${environment}`,
      title: environment,
      kind: 'not yet' as const,
      at: null,
    })),
  ];
  return stations.map((station, place) => ({ ...station, after: between(stations[place - 1]?.at, station.at) }));
}

/** For each environment the current run counts, or the last one. */
function newestOfEach(places: Travelled['places']): Travelled['places'] {
  const best = new Map<string, Travelled['places'][number]>();
  for (const place of places) {
    const known = best.get(place.environment);
    const isBetter = !known || (place.isRunning && !known.isRunning);
    if (isBetter || (place.isRunning === known.isRunning && (place.from ?? 0) > (known.from ?? 0)))
      best.set(place.environment, place);
  }
  return [...best.values()];
}

function between(before: number | null | undefined, at: number | null): number | null {
  return before === null || before === undefined || at === null ? null : Math.max(0, at - before);
}

export const STATION_WORDS: Readonly<Record<Station['kind'], string>> = {
  commit: 'committed',
  built: 'reported',
  running: 'running; started',
  left: 'exited; started',
  'not yet': 'not yet',
};

/** Says whether an artifact may run in an environment. */
export function verdictWord(state: State): string {
  const words: Record<State, string> = {
    compliant: 'Allowed',
    waived: 'Allowed by a waiver',
    'non-compliant': 'Blocked',
    unknown: 'No policy applies',
  };
  return words[state];
}
