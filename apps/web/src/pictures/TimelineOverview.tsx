import type { Timeline } from '@waymark/contract';
import { scaleLinear } from 'd3-scale';
import { memo, useId, useRef, useState } from 'react';
import { usePreferences } from '../lib/preferences.ts';
import { dayOf, shortTime } from '../lib/time.ts';
import { FILLS, patternOf, StatePatterns } from './TimelineState.tsx';
import { clip } from './timeline-layout.ts';
import { fitSpan, lengthOf, type Span } from './timeline-span.ts';

const HEIGHT = 46;
const BAND = 7;

/** The number of changes over a longer period; the window shown above is a frame that can be moved and resized. */
export const TimelineOverview = memo(function TimelineOverview({
  of,
  shown,
  onShow,
}: {
  readonly of: Timeline;
  readonly shown: Span;
  readonly onShow: (span: Span) => void;
}) {
  const { zone } = usePreferences();
  const id = useId();
  const [dragged, setDragged] = useState<Span>();
  const whole = { from: of.from, to: of.to };
  const share = scaleLinear([whole.from, whole.to], [0, 100]).clamp(true);
  const max = Math.max(1, ...of.density);
  const step = 100 / of.density.length;
  return (
    <div className="no-print">
      <div className="relative" style={{ height: HEIGHT }}>
        <svg
          role="img"
          aria-label={`${of.snapshot_count} snapshots from ${dayOf(of.from, zone)} to ${dayOf(of.to, zone)}`}
          width="100%"
          height={HEIGHT}
          className="block rounded bg-raised"
        >
          <StatePatterns id={id} />
          {of.density.map((count, place) => {
            const height = (count / max) * (HEIGHT - BAND - 6);
            return (
              <rect
                key={place}
                x={`${place * step + 0.15}%`}
                width={`${step - 0.3}%`}
                y={HEIGHT - BAND - 2 - height}
                height={height}
                className="fill-field/60"
              />
            );
          })}
          {of.compliance.map(({ from, until, compliance }) => {
            const part = clip(from, until, whole);
            if (!part) return null;
            const x = `${share(part.from)}%`;
            const place = { x, width: `${Math.max(0.1, share(part.until) - share(part.from))}%`, y: HEIGHT - BAND };
            const pattern = patternOf(id, compliance);
            return (
              <g key={from}>
                <rect {...place} height={BAND} className={FILLS[compliance]} />
                {pattern !== undefined && <rect {...place} height={BAND} fill={pattern} />}
              </g>
            );
          })}
        </svg>
        <Brush whole={whole} shown={dragged ?? shown} onDrag={setDragged} onShow={onShow} />
      </div>
      <div className="flex justify-between pt-0.5 text-[12px] text-quiet">
        <span>{dayOf(of.from, zone)}</span>
        {dragged && (
          <span className="text-ink">{`${shortTime(dragged.from, zone)} – ${shortTime(dragged.to, zone)}`}</span>
        )}
        <span>{dayOf(of.to, zone)}</span>
      </div>
    </div>
  );
});

type Part = 'start' | 'whole' | 'end';

function moved(part: Part, span: Span, by: number, whole: Span): Span {
  const from = part === 'end' ? span.from : span.from + by;
  const to = part === 'start' ? span.to : span.to + by;
  if (part === 'whole') {
    const back = Math.max(0, to - whole.to) + Math.min(0, from - whole.from);
    return { from: from - back, to: to - back };
  }
  const least = lengthOf(whole) / 400;
  return part === 'start'
    ? { from: Math.max(whole.from, Math.min(from, span.to - least)), to: span.to }
    : { from: span.from, to: Math.min(whole.to, Math.max(to, span.from + least)) };
}

function Brush({
  whole,
  shown,
  onDrag,
  onShow,
}: {
  readonly whole: Span;
  readonly shown: Span;
  readonly onDrag: (span: Span | undefined) => void;
  readonly onShow: (span: Span) => void;
}) {
  const { zone } = usePreferences();
  const frame = useRef<HTMLDivElement>(null);
  const start = useRef<{ readonly x: number; readonly span: Span }>(undefined);
  const share = scaleLinear([whole.from, whole.to], [0, 100]).clamp(true);
  const showMoved = (part: Part, by: number) => onShow(fitSpan(moved(part, shown, by, whole), whole.to));
  const grips = (part: Part) => ({
    onPointerDown: (event: React.PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = { x: event.clientX, span: shown };
      event.stopPropagation();
    },
    onPointerMove: (event: React.PointerEvent) => {
      // An edge lies within the frame, which would otherwise move as a whole.
      event.stopPropagation();
      const width = frame.current?.clientWidth ?? 1;
      const begun = start.current;
      if (begun) onDrag(moved(part, begun.span, ((event.clientX - begun.x) / width) * lengthOf(whole), whole));
    },
    onPointerUp: (event: React.PointerEvent) => {
      event.stopPropagation();
      if (!start.current) return;
      start.current = undefined;
      onDrag(undefined);
      onShow(fitSpan(shown, whole.to));
    },
  });
  const keys = (part: Part) => ({
    onKeyDown: (event: React.KeyboardEvent) => {
      const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (direction === 0) return;
      event.preventDefault();
      showMoved(part, (direction * lengthOf(whole)) / 100);
    },
  });
  const edge = (part: 'start' | 'end') => {
    const at = part === 'start' ? shown.from : shown.to;
    return (
      <div
        role="slider"
        tabIndex={0}
        aria-label={part === 'start' ? 'Start of the shown period' : 'End of the shown period'}
        aria-valuemin={Math.floor(whole.from)}
        aria-valuemax={Math.ceil(whole.to)}
        aria-valuenow={Math.round(at)}
        aria-valuetext={shortTime(at, zone)}
        className={`absolute top-0 bottom-0 w-2.5 cursor-ew-resize touch-none bg-accent/70 ${part === 'start' ? '-left-1 rounded-l' : '-right-1 rounded-r'}`}
        {...grips(part)}
        {...keys(part)}
      />
    );
  };
  return (
    <div
      ref={frame}
      className="absolute inset-0"
      onPointerUp={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const at = share.invert(((event.clientX - box.left) / box.width) * 100);
        showMoved('whole', at - (shown.from + shown.to) / 2);
      }}
    >
      <div
        className="absolute top-0 bottom-0 min-w-3 cursor-grab touch-none border-y-2 border-accent bg-accent/15 active:cursor-grabbing"
        style={{ left: `${share(shown.from)}%`, width: `${share(shown.to) - share(shown.from)}%` }}
        {...grips('whole')}
      >
        {edge('start')}
        {edge('end')}
      </div>
    </div>
  );
}
