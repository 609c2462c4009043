import { scaleLinear, scaleLog } from 'd3-scale';
import { usePreferences } from '../lib/preferences.ts';
import { dayOf, duration, shortTime } from '../lib/time.ts';
import { leadTimeSteps } from './lead-times.ts';

export interface LeadTimeDot {
  readonly key: string;
  /** In seconds since 1970. */
  readonly at: number;
  readonly seconds: number;
  /** What was deployed where. */
  readonly what: string;
}

interface LeadTimesProps {
  readonly dots: readonly LeadTimeDot[];
  readonly from: number;
  readonly to: number;
  readonly median: number | null;
  readonly p90: number | null;
}

const HEIGHT = 220;

/** A dot for each deployment: when it started, and how long after its commit. The vertical scale is logarithmic. */
export function LeadTimes({ dots, from, to, median, p90 }: LeadTimesProps) {
  const { zone } = usePreferences();
  const known = [...dots.map(({ seconds }) => seconds), ...[median, p90].filter((value) => value !== null)];
  if (known.length === 0) return null;
  const steps = leadTimeSteps(known.map((seconds) => Math.max(1, seconds)));
  const [lowest = 1, highest = 2] = [steps[0], steps.at(-1)];
  const y = scaleLog([lowest, highest], [HEIGHT - 8, 8]).clamp(true);
  const x = scaleLinear([from, Math.max(to, from + 1)], [1, 99]).clamp(true);
  const label = `Lead times of ${dots.length} deployments${median === null ? '' : `, median ${duration(median)}`}${
    p90 === null ? '' : `, nine of ten within ${duration(p90)}`
  }. The table below lists each one.`;
  return (
    <div className="grid grid-cols-[3.2rem_minmax(0,1fr)] text-[12px] text-quiet">
      <div className="relative" style={{ height: HEIGHT }} aria-hidden>
        {steps.map((step) => (
          <span key={step} className="absolute right-2 -translate-y-1/2" style={{ top: y(step) }}>
            {duration(step)}
          </span>
        ))}
      </div>
      <svg role="img" aria-label={label} width="100%" height={HEIGHT} className="overflow-visible">
        {steps.map((step) => (
          <line key={step} x1="0" x2="100%" y1={y(step)} y2={y(step)} className="stroke-line" />
        ))}
        {dots.map(({ key, at, seconds, what }) => (
          <circle key={key} cx={`${x(at)}%`} cy={y(Math.max(1, seconds))} r={4} className="fill-data/55 stroke-data">
            <title>{`${what}, ${shortTime(at, zone)}: ${duration(seconds)}`}</title>
          </circle>
        ))}
        {median !== null && <Level at={y(Math.max(1, median))} labelAt={14} text={`median ${duration(median)}`} />}
        {p90 !== null && <Level at={y(Math.max(1, p90))} labelAt={-6} text={`p90 ${duration(p90)}`} isDashed />}
      </svg>
      <span />
      <div className="flex justify-between pt-1">
        <span>{dayOf(from, zone)}</span>
        <span>{dayOf(to, zone)}</span>
      </div>
    </div>
  );
}

interface LevelProps {
  readonly at: number;
  /** The offset of the label from its line: one above and one below never overlap. */
  readonly labelAt: number;
  readonly text: string;
  readonly isDashed?: boolean;
}

function Level({ at, labelAt, text, isDashed = false }: LevelProps) {
  return (
    <>
      <line
        x1="0"
        x2="100%"
        y1={at}
        y2={at}
        strokeWidth={1.5}
        {...(isDashed && { strokeDasharray: '6 4' })}
        className="stroke-ink"
      />
      <text
        x="100%"
        y={at + labelAt}
        textAnchor="end"
        strokeWidth={4}
        className="fill-ink stroke-panel text-[12px] font-medium [paint-order:stroke]"
      >
        {text}
      </text>
    </>
  );
}
