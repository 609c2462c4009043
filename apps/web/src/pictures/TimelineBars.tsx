import type { Timeline } from '@waymark/contract';
import { memo, useId } from 'react';
import { duration, shortTime, type Zone } from '../lib/time.ts';
import { STATE_WORDS } from '../ui/StateBadge.tsx';
import { TimelineRail } from './TimelineRail.tsx';
import { FILLS, patternOf, StatePatterns, StateSign, TEXTS, WASHES } from './TimelineState.tsx';
import {
  type Across,
  BAR_HEIGHT,
  type Bar,
  clip,
  gapsIn,
  hasSign,
  type LaidLane,
  type Segment,
  versionOf,
} from './timeline-layout.ts';
import { labelledTicks, type Span, ticksOf } from './timeline-span.ts';

export const AXIS = 24;
export const RAIL = 40;
const BAND = 10;
/** Where the lanes begin. */
export const LANES_TOP = AXIS + RAIL + BAND + 12;

const SPINE = 6;
/** In a smaller area a pattern looks like a faded color. */
const PATTERN_FROM = 8;

interface BarsProps {
  readonly timeline: Timeline;
  readonly lanes: readonly LaidLane[];
  readonly span: Span;
  readonly x: Across;
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly zone: Zone;
  readonly says: string;
}

/** Everything that does not move with the playhead, drawn once per window. */
export const TimelineBars = memo(function TimelineBars(props: BarsProps) {
  const { timeline, lanes, span, x, left, width, height, zone, says } = props;
  const id = useId();
  return (
    <svg role="img" aria-label={says} width={width} height={height} className="block">
      <StatePatterns id={id} />
      <Axis span={span} x={x} left={left} width={width} height={height} zone={zone} />
      <TimelineRail timeline={timeline} x={x} top={AXIS} zone={zone} />
      <Band timeline={timeline} span={span} x={x} id={id} />
      {lanes.map(({ lane, bars }) => (
        <g key={`${lane.flow_name}/${lane.name}`}>
          {bars.map((bar) => (
            <RunBar key={bar.key} bar={bar} id={id} zone={zone} />
          ))}
        </g>
      ))}
      <Missing until={timeline.runs_from} span={span} x={x} height={height} zone={zone} />
      {gapsIn(timeline, span).map(({ from, until }) => (
        <rect
          key={from}
          x={x(from)}
          width={Math.max(2, x(until) - x(from))}
          y={AXIS + RAIL}
          height={height - AXIS - RAIL}
          fill={`url(#${id}-gap)`}
        >
          <title>{`No report from ${shortTime(from, zone)} to ${shortTime(until, zone)} (${duration(until - from)})`}</title>
        </rect>
      ))}
    </svg>
  );
});

function Axis({
  span,
  x,
  left,
  width,
  height,
  zone,
}: Pick<BarsProps, 'span' | 'x' | 'left' | 'width' | 'height' | 'zone'>) {
  const ticks = ticksOf(span, width - left, zone);
  const labelled = labelledTicks(ticks, x, width);
  return (
    <>
      {ticks.map((tick) => {
        const { at, label, strong } = tick;
        return (
          <g key={at}>
            <line
              x1={x(at)}
              x2={x(at)}
              y1={AXIS - 4}
              y2={height}
              className={strong ? 'stroke-field/60' : 'stroke-line'}
            />
            {labelled.has(tick) && (
              <text
                x={x(at) + 4}
                y={AXIS - 9}
                className={strong ? 'fill-ink text-[11.5px]' : 'fill-quiet text-[11.5px]'}
              >
                {label}
              </text>
            )}
          </g>
        );
      })}
      <line x1={left} x2={width} y1={AXIS - 4} y2={AXIS - 4} className="stroke-line" />
    </>
  );
}

/** The state of the environment as a whole. */
function Band({ timeline, span, x, id }: Pick<BarsProps, 'timeline' | 'span' | 'x'> & { readonly id: string }) {
  const y = AXIS + RAIL;
  return (
    <>
      {timeline.compliance.map(({ from, until, compliance }) => {
        const part = clip(from, until, span);
        if (!part) return null;
        const place = { x: x(part.from), y, width: Math.max(1, x(part.until) - x(part.from)), height: BAND };
        const pattern = place.width < PATTERN_FROM ? undefined : patternOf(id, compliance);
        return (
          <g key={from}>
            <rect {...place} className={FILLS[compliance]} />
            {pattern !== undefined && <rect {...place} fill={pattern} />}
          </g>
        );
      })}
    </>
  );
}

const MISSING_TEXT_ROOM = 190;

/** Too much ran there to draw: it must not look as if nothing did. */
function Missing({
  until,
  span,
  x,
  height,
  zone,
}: Pick<BarsProps, 'span' | 'x' | 'height' | 'zone'> & { readonly until: number | null }) {
  const part = until === null ? undefined : clip(span.from, until, span);
  if (!part) return null;
  const place = { x: x(part.from), width: x(part.until) - x(part.from), y: LANES_TOP - 6 };
  return (
    <g>
      <title>{`Not everything before ${shortTime(part.until, zone)} is shown: zoom in`}</title>
      <rect {...place} height={height - place.y} className="fill-raised/85" />
      <line
        x1={x(part.until)}
        x2={x(part.until)}
        y1={place.y}
        y2={height}
        strokeDasharray="4 3"
        className="stroke-unsure"
      />
      {place.width > MISSING_TEXT_ROOM && (
        <text x={x(part.until) - 8} y={place.y + 18} textAnchor="end" className="fill-unsure text-[12px]">
          ← too much to draw: zoom in
        </text>
      )}
    </g>
  );
}

function RunBar({ bar, id, zone }: { readonly bar: Bar; readonly id: string; readonly zone: Zone }) {
  const { segments, y, label } = bar;
  return (
    <g>
      <title>{describeBar(bar, zone)}</title>
      {segments.map((segment) => (
        <Part key={segment.x} of={segment} y={y} id={id} />
      ))}
      <rect
        x={bar.x}
        y={y}
        width={bar.width}
        height={BAR_HEIGHT}
        fill="none"
        className="stroke-panel"
        strokeWidth={1}
      />
      {label && (
        <text x={label.x} y={y + 13} className={`text-[11.5px] ${TEXTS[label.state]}`}>
          {label.text}
        </text>
      )}
    </g>
  );
}

function Part({ of: { x, width, state }, ...at }: { readonly of: Segment; readonly y: number; readonly id: string }) {
  const body = BAR_HEIGHT - SPINE;
  const isNarrow = width < PATTERN_FROM;
  const pattern = isNarrow ? undefined : patternOf(at.id, state);
  const spine = { x, width, y: at.y + body, height: SPINE };
  return (
    <>
      <rect x={x} width={width} y={at.y} height={body} className={(isNarrow ? FILLS : WASHES)[state]} />
      <rect {...spine} className={FILLS[state]} />
      {pattern !== undefined && <rect {...spine} fill={pattern} />}
      {hasSign({ x, width, state }) && <StateSign state={state} x={x + 10} y={at.y + body / 2} />}
    </>
  );
}

function describeBar({ run, segments }: Bar, zone: Zone): string {
  const states = [...new Set(segments.map(({ state }) => STATE_WORDS[state].toLowerCase()))].join(', then ');
  const end = run.until === null ? 'end not reported' : `to ${shortTime(run.until, zone)}`;
  return `${run.name}\n${versionOf(run)}, ${states}\nfrom ${shortTime(run.from, zone)}, ${end}`;
}
