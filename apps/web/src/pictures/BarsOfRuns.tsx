import { scaleTime } from 'd3-scale';
import { usePreferences } from '../lib/preferences.ts';
import { dayOf } from '../lib/time.ts';
import { classes } from '../ui/classes.ts';

export interface RunBar {
  readonly lane: string;
  /** In seconds; null when it began before the known history. */
  readonly from: number | null;
  /** Null while it continues. */
  readonly until: number | null;
  readonly isRunning: boolean;
  /** The bar in words. */
  readonly says: string;
}

interface BarsProps {
  readonly label: string;
  readonly bars: readonly RunBar[];
  readonly now: number;
}

const LEAST_PERCENT = 0.6;

/** Periods in lanes, one below another. The table beside it has the same numbers. */
export function BarsOfRuns({ label, bars, now }: BarsProps) {
  const { zone } = usePreferences();
  const known = bars.flatMap(({ from, until }) => [from, until]).filter((time) => time !== null);
  if (known.length === 0) return null;
  const start = Math.min(...known);
  const scale = scaleTime([start * 1000, Math.max(now, start + 60) * 1000], [0, 100]);
  const lanes = Map.groupBy(bars, ({ lane }) => lane);
  return (
    <div role="img" aria-label={label} className="text-[12.5px]">
      {[...lanes].map(([lane, runs]) => (
        <div key={lane} className="flex items-center gap-3 py-1">
          <span className="w-24 shrink-0 truncate text-quiet sm:w-36" title={lane}>
            {lane}
          </span>
          <span className="relative h-4 min-w-0 flex-1 rounded bg-raised">
            {runs.map((run) => {
              const left = run.from === null ? 0 : scale(run.from * 1000);
              const right = run.until === null ? 100 : scale(run.until * 1000);
              return (
                <span
                  key={`${run.from} ${run.until}`}
                  title={run.says}
                  className={classes(
                    'absolute inset-y-0 rounded border',
                    run.isRunning ? 'border-data bg-data' : 'border-field bg-field/40',
                    !run.isRunning && run.until === null && 'hatch',
                  )}
                  style={{
                    left: `${Math.min(left, 100 - LEAST_PERCENT)}%`,
                    width: `${Math.max(right - left, LEAST_PERCENT)}%`,
                  }}
                />
              );
            })}
          </span>
        </div>
      ))}
      <div className="flex pl-27 text-quiet sm:pl-39">
        <span>{dayOf(start, zone)}</span>
        <span className="ml-auto">now</span>
      </div>
    </div>
  );
}
