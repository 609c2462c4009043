import { scaleTime, scaleUtc } from 'd3-scale';
import { dayOf, formatsOf, type Zone } from '../lib/time.ts';

/** An interval of time, in seconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const MINUTE = 60;
const DAY = 86_400;
const SPAN_MIN = 10 * MINUTE;
/** The server returns no more in one response. */
const SPAN_MAX = 400 * DAY;

export const PRESETS = [
  { label: '24 h', seconds: DAY },
  { label: '7 d', seconds: 7 * DAY },
  { label: '30 d', seconds: 30 * DAY },
  { label: '90 d', seconds: 90 * DAY },
] as const;

export function lengthOf({ from, to }: Span): number {
  return to - from;
}

export function holds({ from, to }: Span, at: number): boolean {
  return at >= from && at <= to;
}

/** The closest allowed span: not too short, not too long, and never in the future. */
export function fitSpan({ from, to }: Span, now: number): Span {
  const length = Math.min(SPAN_MAX, Math.max(SPAN_MIN, to - from));
  const end = Math.min(now, from + length);
  return { from: Math.round(end - length), to: Math.round(end) };
}

/** Zooms around `centre`, which keeps its place on the screen. */
export function zoomSpan(span: Span, factor: number, centre: number, now: number): Span {
  const fixed = Math.min(span.to, Math.max(span.from, centre));
  return fitSpan({ from: fixed - (fixed - span.from) * factor, to: fixed + (span.to - fixed) * factor }, now);
}

/** Shifts the span by a share of its length. */
export function shiftSpan(span: Span, share: number, now: number): Span {
  const by = lengthOf(span) * share;
  return fitSpan({ from: span.from + by, to: span.to + by }, now);
}

export function spanAround(at: number, length: number, now: number): Span {
  return fitSpan({ from: at - length / 2, to: at + length / 2 }, now);
}

/**
 * The span of the overview: the last 90 days, extended to contain the window. It begins with a day in UTC, so that the
 * query stays the same all day.
 */
export function overviewOf({ from, to }: Span, now: number): Span {
  const margin = 7 * DAY;
  const wanted = Math.min(now - 90 * DAY, from < now - 90 * DAY ? from - margin : from);
  const start = Math.floor(Math.max(0, wanted) / DAY) * DAY;
  if (now - start <= SPAN_MAX) return { from: start, to: now };
  return { from: start, to: Math.min(now, start + SPAN_MAX, Math.max(to + margin, start + 90 * DAY)) };
}

interface Tick {
  readonly at: number;
  readonly label: string;
  /** Whether a day, month or year begins: its line is stronger. */
  readonly strong: boolean;
}

const TICK_ROOM = 86;
const WEEKDAY = formatsOf({ weekday: 'short', day: 'numeric', month: 'short' });
const TIME = formatsOf({ hour: '2-digit', minute: '2-digit' });
const MONTH = formatsOf({ month: 'short', year: 'numeric' });

const LETTER = 6.4;
const LABEL_GAP = 10;

/** The ticks whose label has room before the next one and before the edge; the others are lines only. */
export function labelledTicks(ticks: readonly Tick[], x: (at: number) => number, width: number): ReadonlySet<Tick> {
  let freeFrom = Number.NEGATIVE_INFINITY;
  return new Set(
    ticks.filter(({ at, label }) => {
      const from = x(at);
      const end = from + label.length * LETTER + LABEL_GAP;
      if (from < freeFrom || end > width) return false;
      freeFrom = end;
      return true;
    }),
  );
}

/** The labels of the axis: round times in the reader's zone, as many as fit. */
export function ticksOf(span: Span, width: number, zone: Zone): readonly Tick[] {
  const scale = (zone === 'utc' ? scaleUtc : scaleTime)().domain([span.from * 1000, span.to * 1000]);
  const dates = scale.ticks(Math.max(2, Math.floor(width / TICK_ROOM)));
  const step = ((dates[1]?.getTime() ?? 0) - (dates[0]?.getTime() ?? 0)) / 1000;
  return dates.map((date) => {
    const at = date.getTime() / 1000;
    const time = TIME[zone].format(date);
    const isMidnight = time === '00:00';
    const label =
      step >= 27 * DAY
        ? MONTH[zone].format(date)
        : step > 2 * DAY
          ? dayOf(at, zone)
          : isMidnight
            ? WEEKDAY[zone].format(date)
            : time;
    return { at, label, strong: step < DAY && isMidnight };
  });
}
