import { scaleLinear } from 'd3-scale';
import { usePreferences } from '../../lib/preferences.ts';
import { useRoom } from '../../lib/room.ts';
import { duration, shortTime } from '../../lib/time.ts';
import { STATE_WORDS } from '../../ui/StateBadge.tsx';
import type { Happened } from './trail-events.ts';
import { type Lane, lanesOf, spanOf } from './trail-gantt.ts';

const WIDTH_LEAST = 520;
const LABELS = 220;
const RIGHT = 12;
const ROW = 22;
const TOP = 8;
const AXIS = 24;
const LANES_SHOWN = 24;

/** When each piece of evidence arrived, on one line each. The table below it has the same, and more. */
export function TrailGantt({ events }: { readonly events: readonly Happened[] }) {
  const { zone } = usePreferences();
  const [frame, room] = useRoom<HTMLElement>();
  const width = Math.max(WIDTH_LEAST, room);
  const lanes = lanesOf(events);
  const shown = lanes.slice(0, LANES_SHOWN);
  const [from, to] = spanOf(events);
  const x = scaleLinear([from, to], [LABELS, width - RIGHT]);
  const bottom = TOP + shown.length * ROW;
  const left = lanes.length - shown.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by the keyboard.
    <figure ref={frame} tabIndex={0} className="overflow-x-auto border-b border-line px-4 pb-3">
      <svg
        role="img"
        aria-label={`${events.length} events within ${duration(to - from)}, from the first report to the last. All of them are in the table below.`}
        width={width}
        height={bottom + AXIS}
        className="block"
      >
        {shown.map((lane, row) => (
          <LaneRow key={lane.key} lane={lane} y={TOP + row * ROW + ROW / 2} x={x} />
        ))}
        <line x1={LABELS} x2={width - RIGHT} y1={bottom + 2} y2={bottom + 2} className="stroke-line" />
        {[from, (from + to) / 2, to].map((at, place) => (
          <text
            key={at}
            x={x(at)}
            y={bottom + 18}
            textAnchor={place === 0 ? 'start' : place === 1 ? 'middle' : 'end'}
            className="fill-quiet text-[11px]"
          >
            {place === 0 ? shortTime(at, zone) : `+ ${duration(at - from)}`}
          </text>
        ))}
      </svg>
      {left > 0 && <figcaption className="text-[12.5px] text-quiet">{`${left} more are in the table.`}</figcaption>}
    </figure>
  );
}

function LaneRow({ lane, y, x }: { readonly lane: Lane; readonly y: number; readonly x: (at: number) => number }) {
  const last = lane.marks.at(-1);
  return (
    <g>
      <text x={LABELS - 10} y={y + 4} textAnchor="end" className="fill-ink text-[12px]">
        {shorten(lane.label)}
      </text>
      {last && <line x1={LABELS} x2={x(last.at)} y1={y} y2={y} className="stroke-line" />}
      {lane.marks.map((mark, place) => (
        <Mark key={place} mark={mark} y={y} x={x} />
      ))}
    </g>
  );
}

const FILLS = {
  compliant: 'fill-good',
  'non-compliant': 'fill-bad',
  unknown: 'fill-unsure',
  waived: 'fill-waived',
} as const;

/** Round: passes. A cross: fails. A square: something was reported that is not judged. */
function Mark({ mark, y, x }: { readonly mark: Happened; readonly y: number; readonly x: (at: number) => number }) {
  const at = x(mark.at);
  const word = mark.state === null ? mark.what : STATE_WORDS[mark.state];
  return (
    <g>
      <title>{`${mark.name}: ${word}`}</title>
      {mark.claimedAt !== null && (
        <line x1={x(mark.claimedAt)} x2={at} y1={y} y2={y} strokeWidth={3} className="stroke-unsure-fill" />
      )}
      {mark.state === 'non-compliant' ? (
        <path d={`M${at - 4} ${y - 4}l8 8m0 -8l-8 8`} strokeWidth={2.5} className="stroke-bad" />
      ) : mark.state === null ? (
        <rect x={at - 4} y={y - 4} width={8} height={8} rx={1} className="fill-quiet" />
      ) : (
        <circle cx={at} cy={y} r={4.5} className={FILLS[mark.state]} />
      )}
    </g>
  );
}

function shorten(label: string): string {
  return label.length > 29 ? `${label.slice(0, 28)}…` : label;
}
