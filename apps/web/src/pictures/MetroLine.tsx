import { Circle, CircleDashed, CircleDot, CircleX, GitCommitHorizontal, Package } from 'lucide-react';
import { duration } from '../lib/time.ts';
import { classes } from '../ui/classes.ts';
import { Link } from '../ui/Link.tsx';
import type { State } from '../ui/StateBadge.tsx';
import { Time } from '../ui/Time.tsx';
import { STATION_WORDS, type Station } from './metro-line.ts';

const ICONS = {
  commit: GitCommitHorizontal,
  built: Package,
  running: CircleDot,
  left: Circle,
  'not yet': CircleDashed,
  blocked: CircleX,
};

interface LineProps {
  /** The artifact, such as `web:1.9.1`. */
  readonly label: string;
  readonly stations: readonly Station[];
  /** More about a station: a verdict, or why it is not there yet. */
  readonly more: (station: Station) => React.ReactNode;
  /** Draws a station with its icon: a `Ring`, in the color of its verdict. */
  readonly ring: (station: Station) => React.ReactNode;
}

const RINGS: Readonly<Record<State, string>> = {
  compliant: 'border-good-fill text-good',
  'non-compliant': 'border-bad-fill text-bad',
  unknown: 'border-unsure-fill text-unsure',
  waived: 'border-waived-fill text-waived',
};

/** Dashed until the artifact has been there; in the color of the verdict, if there is one. */
export function Ring({ kind, state }: { readonly kind: Station['kind']; readonly state?: State | undefined }) {
  const Icon = ICONS[kind === 'not yet' && state === 'non-compliant' ? 'blocked' : kind];
  return (
    <span
      data-state={state}
      className={classes(
        'z-10 flex size-7 shrink-0 items-center justify-center rounded-full border-2 bg-panel',
        kind === 'not yet' && 'border-dashed',
        state === undefined ? 'border-field text-quiet' : RINGS[state],
      )}
    >
      <Icon size={15} />
    </span>
  );
}

/**
 * One stop after another; horizontal if there is room, vertical on a narrow screen. A list, so that screen readers read
 * it as one.
 */
export function MetroLine({ label, stations, more, ring }: LineProps) {
  return (
    <ol aria-label={label} className="flex flex-col gap-y-0 overflow-x-auto pb-1 sm:flex-row print:[zoom:0.65]">
      {stations.map((station, place) => (
        <Stop
          key={station.key}
          station={station}
          isFirst={place === 0}
          isLast={place === stations.length - 1}
          isAheadReached={stations[place + 1] !== undefined && stations[place + 1]?.kind !== 'not yet'}
          more={more(station)}
          ring={ring(station)}
        />
      ))}
    </ol>
  );
}

interface StopProps {
  readonly station: Station;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isAheadReached: boolean;
  readonly more: React.ReactNode;
  readonly ring: React.ReactNode;
}

function Stop({ station, isFirst, isLast, isAheadReached, more, ring }: StopProps) {
  const { title, kind, at, after, href } = station;
  const isReached = kind !== 'not yet';
  return (
    <li className="flex min-w-0 gap-3 sm:min-w-40 sm:flex-1 sm:flex-col sm:gap-2">
      <span aria-hidden className="relative flex shrink-0 flex-col items-center sm:flex-row">
        {ring}
        {!isLast && (
          <span
            className={classes(
              'min-h-6 flex-1 border-l-2 sm:min-h-0 sm:border-t-2 sm:border-l-0',
              isAheadReached ? 'border-data' : 'border-dashed border-field',
            )}
          />
        )}
      </span>
      <div className="min-w-0 pb-4 [overflow-wrap:anywhere] sm:pr-4 sm:pb-0">
        <p className="font-medium">{href === undefined ? title : <Link href={href}>{title}</Link>}</p>
        <p className="text-[13px] text-quiet">
          {STATION_WORDS[kind]} {isReached && <Time at={at} none="at an unknown time" />}
        </p>
        {!isFirst && after !== null && <p className="text-[12.5px] text-quiet">{duration(after)} later</p>}
        {more}
      </div>
    </li>
  );
}
