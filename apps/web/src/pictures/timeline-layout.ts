import type { Timeline, TimelineLane, TimelineMark, TimelineRun } from '@waymark/contract';
import type { State } from '../ui/StateBadge.tsx';
import type { Span } from './timeline-span.ts';

/** The horizontal position of a time in seconds since 1970. */
export type Across = (at: number) => number;

interface Interval {
  readonly from: number;
  readonly until: number;
}

/** The part of an interval in the window; undefined if there is none. An open interval ends with the window. */
export function clip(from: number, until: number | null, span: Span): Interval | undefined {
  const start = Math.max(from, span.from);
  const end = Math.min(until ?? span.to, span.to);
  return end > start ? { from: start, until: end } : undefined;
}

export interface Segment {
  readonly x: number;
  readonly width: number;
  readonly state: State;
}

export interface Bar {
  readonly key: string;
  readonly run: TimelineRun;
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly segments: readonly Segment[];
  /** Its version, if it fits. */
  readonly label: { readonly x: number; readonly text: string; readonly state: State } | undefined;
}

export interface LaidLane {
  readonly lane: TimelineLane;
  /** The position of its name. */
  readonly top: number;
  readonly height: number;
  readonly bars: readonly Bar[];
}

export const BAR_HEIGHT = 24;
const TRACK = BAR_HEIGHT + 4;
const LANE_GAP = 8;
const GLYPH_ROOM = 20;
const LETTER = 6.7;

interface Frame {
  readonly span: Span;
  readonly x: Across;
  readonly top: number;
  /** Above the bars of each lane, for its name, where there is no room beside them. */
  readonly labelHeight: number;
}

/** Stacks the lanes, and overlapping runs within a lane. */
export function layLanes(lanes: readonly TimelineLane[], frame: Frame): { lanes: readonly LaidLane[]; bottom: number } {
  let top = frame.top;
  const laid = lanes.map((lane): LaidLane => {
    const tracks = tracksOf(lane.runs, frame.span);
    const barsTop = top + frame.labelHeight;
    const bars = tracks.flatMap((runs, track) =>
      runs.flatMap((run) => barOf(run, barsTop + track * TRACK, frame, lane.name) ?? []),
    );
    const height = frame.labelHeight + Math.max(1, tracks.length) * TRACK;
    const result = { lane, top, height, bars };
    top += height + LANE_GAP;
    return result;
  });
  return { lanes: laid, bottom: top };
}

/** Each run goes to the first track that is free when it starts. */
export function tracksOf(runs: readonly TimelineRun[], span: Span): readonly (readonly TimelineRun[])[] {
  const tracks: TimelineRun[][] = [];
  const freeFrom: number[] = [];
  for (const run of [...runs].sort((one, other) => one.from - other.from)) {
    const free = freeFrom.findIndex((at) => at <= run.from);
    const track = free === -1 ? tracks.length : free;
    const before = tracks[track];
    if (before) before.push(run);
    else tracks.push([run]);
    freeFrom[track] = run.until ?? span.to;
  }
  return tracks;
}

const NARROWEST = 1.5;

function barOf(run: TimelineRun, y: number, { span, x }: Frame, lane: string): Bar | undefined {
  const shown = clip(run.from, run.until, span);
  if (!shown) return undefined;
  const left = x(shown.from);
  const width = Math.max(NARROWEST, x(shown.until) - left);
  const segments = run.states.flatMap(({ from, until, compliance }) => {
    const part = clip(from, until, { from: shown.from, to: shown.until });
    return part
      ? [{ x: x(part.from), width: Math.max(NARROWEST, x(part.until) - x(part.from)), state: compliance }]
      : [];
  });
  const drawn = segments.length > 0 ? segments : [{ x: left, width, state: 'unknown' as const }];
  return {
    key: `${lane}\n${run.name}\n${run.fingerprint}\n${run.from}`,
    run,
    x: left,
    width,
    y,
    segments: drawn,
    label: labelIn(drawn, versionOf(run)),
  };
}

/** In the widest part, after its sign if it has one; left out if it would be cut. */
function labelIn(segments: readonly Segment[], text: string): Bar['label'] {
  const widest = segments.reduce((one, other) => (other.width > one.width ? other : one));
  const before = widest.state === 'compliant' ? LABEL_MARGIN : GLYPH_ROOM;
  if (widest.width < before + text.length * LETTER + LABEL_MARGIN) return undefined;
  return { x: widest.x + before, text, state: widest.state };
}

const LABEL_MARGIN = 4;

/** What is compliant has no sign: most bars are, and those that are not have to stand out. */
export function hasSign({ width, state }: Segment): boolean {
  return state !== 'compliant' && width >= GLYPH_ROOM - 2;
}

/** The tag of an image or the version in a file's name, else the first digits of the fingerprint. */
export function versionOf({ name, fingerprint }: Pick<TimelineRun, 'name' | 'fingerprint'>): string {
  const plain = name.replace(/@sha256:.*$/, '');
  const tag = /:([^/:]+)$/.exec(plain)?.[1];
  if (tag !== undefined) return tag;
  return fingerprint === '' ? 'not identified' : fingerprint.slice(0, 7);
}

interface MarkGroup {
  readonly x: number;
  readonly marks: readonly TimelineMark[];
}

/** Merges signs that are too close into one with a number. */
export function groupMarks(marks: readonly TimelineMark[], x: Across, room: number): readonly MarkGroup[] {
  const groups: { x: number; marks: TimelineMark[] }[] = [];
  for (const mark of marks) {
    const last = groups.at(-1);
    const place = x(mark.at);
    if (last && place - last.x < room) last.marks.push(mark);
    else groups.push({ x: place, marks: [mark] });
  }
  return groups;
}

/** The stale periods within the window. */
export function gapsIn({ gaps }: Pick<Timeline, 'gaps'>, span: Span): readonly Interval[] {
  return gaps.flatMap(({ from, until }) => clip(from, until, span) ?? []);
}
