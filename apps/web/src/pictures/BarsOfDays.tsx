import { scaleLinear } from 'd3-scale';
import { dayOf, shortTime } from '../lib/time.ts';

export interface DayBar {
  /** Where the hour, day, or week begins, in seconds since 1970. */
  readonly start: number;
  readonly count: number;
}

interface BarsProps {
  readonly bars: readonly DayBar[];
  readonly interval: 'hour' | 'day' | 'week';
  /** What is counted, such as `deployments`. */
  readonly what: string;
}

const HEIGHT = 140;
const GAP_PERCENT = 0.2;

/** The number in each hour, day, or week. Days are in UTC, as on the server. */
export function BarsOfDays({ bars, interval, what }: BarsProps) {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return null;
  const max = Math.max(1, ...bars.map(({ count }) => count));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const y = scaleLinear([0, max], [HEIGHT, 12]);
  const width = 100 / bars.length;
  const nameOf = (start: number) => (interval === 'hour' ? shortTime(start, 'utc') : dayOf(start, 'utc'));
  return (
    <div className="grid grid-cols-[3.2rem_minmax(0,1fr)] text-[12px] text-quiet">
      <div className="relative" style={{ height: HEIGHT }} aria-hidden>
        <span className="absolute right-2 -translate-y-1/2" style={{ top: y(max) }}>
          {max}
        </span>
        <span className="absolute right-2 -translate-y-1/2" style={{ top: HEIGHT }}>
          0
        </span>
      </div>
      <svg
        role="img"
        aria-label={`${total} ${what} in ${bars.length} ${interval}s, at most ${max} in one. The table below has each ${interval}.`}
        width="100%"
        height={HEIGHT}
      >
        <line x1="0" x2="100%" y1={y(max)} y2={y(max)} className="stroke-line" />
        {bars.map(({ start, count }, place) => (
          <rect
            key={start}
            x={`${place * width + GAP_PERCENT}%`}
            width={`${Math.max(0.2, width - 2 * GAP_PERCENT)}%`}
            y={y(count)}
            height={HEIGHT - y(count)}
            className="fill-data/70"
          >
            <title>{`${nameOf(start)}: ${count} ${what}`}</title>
          </rect>
        ))}
        <line x1="0" x2="100%" y1={HEIGHT} y2={HEIGHT} className="stroke-field" />
      </svg>
      <span />
      <div className="flex justify-between pt-1">
        <span>{nameOf(first.start)}</span>
        <span>{nameOf(last.start)}</span>
      </div>
    </div>
  );
}
