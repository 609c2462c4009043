import type { Timeline as TimelineData } from '@waymark/contract';
import { scaleLinear } from 'd3-scale';
import { type MouseEvent, memo, useLayoutEffect, useMemo } from 'react';
import { paths } from '../lib/paths.ts';
import { usePreferences } from '../lib/preferences.ts';
import { useRoom } from '../lib/room.ts';
import { absolute, duration, shortTime } from '../lib/time.ts';
import { Link } from '../ui/Link.tsx';
import { AXIS, LANES_TOP, RAIL, TimelineBars } from './TimelineBars.tsx';
import { TimelineHandle } from './TimelineHandle.tsx';
import { gapsIn, type LaidLane, layLanes } from './timeline-layout.ts';
import { nearestSnapshot, type SnapshotTick } from './timeline-moment.ts';
import { holds } from './timeline-span.ts';

const GUTTER = 168;
const LABELS_BESIDE_FROM = 620;
const PLOT_LEAST = 620;
const LABEL_ABOVE = 20;
const RIGHT = 14;

interface TimelineProps {
  readonly org: string;
  readonly timeline: TimelineData;
  readonly at: number;
  /** The other end of a comparison. */
  readonly second: number | undefined;
  readonly onMove: (at: number, isDone: boolean) => void;
  readonly onMoveSecond: (at: number, isDone: boolean) => void;
  readonly onSnapshot: (snapshot: SnapshotTick) => void;
}

/** What ran over time, one lane for each service, with a playhead over it. */
export function Timeline({ org, timeline, at, second, onMove, onMoveSecond, onSnapshot }: TimelineProps) {
  const { zone } = usePreferences();
  const [frame, room] = useRoom<HTMLDivElement>();
  const isBeside = room >= LABELS_BESIDE_FROM;
  const left = isBeside ? GUTTER : 8;
  const width = isBeside ? room : Math.max(PLOT_LEAST, room);
  const drawn = useMemo(() => {
    const span = { from: timeline.from, to: timeline.to };
    const x = scaleLinear([span.from, span.to], [left, width - RIGHT]);
    const laid = layLanes(timeline.lanes, { span, x, top: LANES_TOP, labelHeight: isBeside ? 0 : LABEL_ABOVE });
    return { span, x, ...laid };
  }, [timeline, left, width, isBeside]);
  const { span, x, lanes, bottom } = drawn;
  const isReady = room > 0;

  // If little fits, the version under the playhead is shown first.
  useLayoutEffect(() => {
    const element = frame.current;
    if (element && isReady) element.scrollLeft = x(at) - element.clientWidth / 2;
  }, [isReady, timeline.environment]);

  const handle = {
    min: span.from,
    max: span.to,
    height: bottom,
    timeAt: (pixels: number) => x.invert(pixels),
  };
  const pick = (event: MouseEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const time = x.invert(event.clientX - box.left);
    const height = event.clientY - box.top;
    if (event.target instanceof Element && event.target.closest('a')) return;
    if (!holds(span, time)) return;
    if (event.shiftKey) return onMoveSecond(time, true);
    const snapshot = height > AXIS && height < AXIS + RAIL ? nearestSnapshot(timeline.snapshots, time) : undefined;
    if (snapshot) onSnapshot(snapshot);
    else onMove(time, true);
  };
  return (
    <div ref={frame} className="relative overflow-x-auto overflow-y-hidden">
      {isReady && (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the playhead is what keys move.
        <div
          className="relative select-none"
          style={{ width, height: bottom }}
          // With Shift the browser would select all text since the last click.
          onMouseDown={(event) => event.shiftKey && event.preventDefault()}
          onClick={pick}
        >
          <TimelineBars
            timeline={timeline}
            lanes={lanes}
            span={span}
            x={x}
            left={left}
            width={width}
            height={bottom}
            zone={zone}
            says={describeTimeline(timeline)}
          />
          <RowNames org={org} lanes={lanes} isBeside={isBeside} />
          {second !== undefined && holds(span, second) && (
            <TimelineHandle
              {...handle}
              kind="second"
              label="Compared with"
              at={second}
              x={x(second)}
              says={absolute(second, zone)}
              onMove={onMoveSecond}
            />
          )}
          {holds(span, at) && (
            <TimelineHandle
              {...handle}
              kind="playhead"
              label="Playhead"
              at={at}
              x={x(at)}
              says={absolute(at, zone)}
              onMove={onMove}
            />
          )}
        </div>
      )}
      <p className="hidden print:block">{`${shortTime(span.from, zone)} to ${shortTime(span.to, zone)}`}</p>
    </div>
  );
}

/** Part of the page, not of the picture, so that they stay visible when it scrolls. */
const RowNames = memo(function RowNames({
  org,
  lanes,
  isBeside,
}: {
  readonly org: string;
  readonly lanes: readonly LaidLane[];
  readonly isBeside: boolean;
}) {
  return (
    <div className="text-[13px]">
      {isBeside && (
        <>
          <RowName top={AXIS + 1} height={18} quiet="Snapshots" />
          <RowName top={AXIS + 18} height={18} quiet="Rule changes" />
          <RowName top={AXIS + RAIL - 4} height={18} quiet="Environment" />
        </>
      )}
      {lanes.map(({ lane, top, height }) => (
        <RowName
          key={`${lane.flow_name}/${lane.name}`}
          top={top}
          height={isBeside ? Math.min(24, height) : LABEL_ABOVE}
        >
          {lane.flow_name === '' ? (
            <span title={lane.name}>{shorten(lane.name)}</span>
          ) : (
            <Link href={paths.flow(org, lane.flow_name)} title={lane.name} className="pointer-events-auto text-ink">
              {lane.name}
            </Link>
          )}
        </RowName>
      ))}
    </div>
  );
});

function RowName({
  top,
  height,
  quiet,
  children,
}: {
  readonly top: number;
  readonly height: number;
  readonly quiet?: string;
  readonly children?: React.ReactNode;
}) {
  return (
    <div className="pointer-events-none absolute left-0 w-full" style={{ top }}>
      <div className="sticky left-0 flex w-40 items-center truncate" style={{ height }}>
        {quiet === undefined ? (
          <span className="truncate font-medium">{children}</span>
        ) : (
          <span className="truncate text-[12px] text-quiet">{quiet}</span>
        )}
      </div>
    </div>
  );
}

/** The last part of an image's name: most images share the rest. */
function shorten(name: string): string {
  const last = name.split('/').at(-1) ?? name;
  return last === name || last === '' ? name : `…/${last}`;
}

function describeTimeline(timeline: TimelineData): string {
  const runs = timeline.lanes.reduce((sum, lane) => sum + lane.runs.length, 0);
  const gaps = gapsIn(timeline, timeline).length;
  return `${runs} runs of ${timeline.lanes.length} services in ${timeline.environment} within ${duration(timeline.to - timeline.from)}, ${timeline.snapshot_count} snapshots, ${gaps} gaps without reports. The table below has the same.`;
}
