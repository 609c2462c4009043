import type { Timeline, TimelineMark } from '@waymark/contract';
import { shortTime, type Zone } from '../lib/time.ts';
import { type Across, groupMarks } from './timeline-layout.ts';

const LETTERS: Record<TimelineMark['kind'], string> = { policy: 'P', allow_list: 'W', environment: 'E' };
const TICKS = 14;
const SIGN = 16;

/**
 * Events: each snapshot is a tick, higher when it was not compliant; changes of rules and exceptions are signs. There
 * may be a thousand ticks, so all of one kind are one shape.
 */
export function TimelineRail({
  timeline,
  x,
  top,
  zone,
}: {
  readonly timeline: Timeline;
  readonly x: Across;
  readonly top: number;
  readonly zone: Zone;
}) {
  const foot = top + TICKS + 3;
  const ticks = (isFailing: boolean) =>
    timeline.snapshots
      .filter(({ compliance }) => (compliance === 'non-compliant') === isFailing)
      .map(({ at }) => `M${x(at).toFixed(1)} ${foot}v${isFailing ? -TICKS : -TICKS / 2}`)
      .join('');
  return (
    <>
      <path d={ticks(false)} strokeWidth={1.5} className="stroke-quiet" />
      <path d={ticks(true)} strokeWidth={2} className="stroke-bad" />
      {groupMarks(timeline.marks, x, SIGN + 2).map(({ x: place, marks }) => (
        <Sign key={`${place} ${marks[0]?.text}`} x={place} y={foot + 2} marks={marks} zone={zone} />
      ))}
    </>
  );
}

function Sign({
  x,
  y,
  marks,
  zone,
}: {
  readonly x: number;
  readonly y: number;
  readonly marks: readonly TimelineMark[];
  readonly zone: Zone;
}) {
  const kinds = new Set(marks.map(({ kind }) => kind));
  const [only] = kinds;
  return (
    <g>
      <title>{marks.map(({ at, text }) => `${shortTime(at, zone)}: ${text}`).join('\n')}</title>
      <rect
        x={x - SIGN / 2}
        y={y}
        width={SIGN}
        height={SIGN}
        rx={3}
        className="fill-raised stroke-field"
        strokeWidth={1}
      />
      <text x={x} y={y + 12} textAnchor="middle" className="fill-ink text-[11px] font-medium">
        {marks.length > 1 ? marks.length : only === undefined ? '' : LETTERS[only]}
      </text>
    </g>
  );
}
