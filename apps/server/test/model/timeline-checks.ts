import * as contracts from '@waymark/contract';
import { type Checks, compare, found, nameFor } from './asking.ts';
import { complianceOf, type Environment, type Placed, type Run, type Snapshot } from './runtime-model.ts';
import { byText } from './units.ts';

const HOUR = 3_600_000;

interface RunInterval {
  from: number;
  until: number;
  compliance: string;
}

/** How long a snapshot was current in the window. */
interface Shown {
  readonly snapshot: Snapshot;
  readonly from: number;
  readonly until: number;
}

/** Some window, often one that begins or ends with a snapshot. */
export async function checkTimeline(checks: Checks, environment: Environment): Promise<void> {
  const { random, model } = checks;
  const moments = [model.now, model.now - random.below(200 * HOUR), ...environment.snapshots.map(({ at }) => at)];
  const from = Math.floor(random.pick(moments) / 1000) * 1000 - random.pick([0, 1, HOUR, 50 * HOUR]);
  const to = Math.min(model.now, random.chance(0.3) ? model.now : from + random.pick([1, 1_000, HOUR, 70 * HOUR]));
  if (from >= to) return;
  const name = nameFor(checks, environment);
  const answer = await checks.api.call(contracts.getTimeline, {
    params: { env_name: name },
    query: { from: String(from / 1000), to: String(to / 1000), per_page: '100' },
  });
  const body = found(answer) as contracts.Timeline;
  // No stale periods are recorded here: there is at most one, up to now.
  const known = Math.max(from, Math.min(to, (body.gaps[0]?.from ?? Number.POSITIVE_INFINITY) * 1000));
  compare(
    `timeline of ${name} from ${from} to ${to}`,
    timelineView(environment, from, to, known),
    inBrief(body, known),
  );
}

function timelineView(environment: Environment, from: number, to: number, known: number): object {
  const shown = shownIn(environment, from, to);
  const made = environment.snapshots.filter(({ at }) => at >= from && at <= to);
  return {
    snapshot_count: made.length,
    density: made.length,
    snapshots: made.map((snapshot) => ({
      index: snapshot.index,
      at: snapshot.at / 1000,
      compliance: complianceOf(snapshot),
    })),
    compliance: intervals(
      shown.map((held) => ({ ...held, until: Math.min(held.until, known) })),
      complianceOf,
    ),
    runs: runsIn(environment, shown).sort(byStart),
  };
}

/** What ran for a while, and what started at the very end. */
function shownIn({ snapshots }: Environment, from: number, to: number): Shown[] {
  return snapshots.flatMap((snapshot, i) => {
    const held = { snapshot, from: Math.max(from, snapshot.at), until: Math.min(to, snapshots[i + 1]?.at ?? to) };
    const isShown = snapshot.at <= to && (snapshots[i + 1]?.at ?? to + 1) > from;
    return isShown ? [held] : [];
  });
}

function intervals(shown: readonly Shown[], complianceIn: (snapshot: Snapshot) => string | undefined): RunInterval[] {
  const result: RunInterval[] = [];
  for (const { snapshot, from, until } of shown) {
    const compliance = complianceIn(snapshot);
    if (compliance === undefined || from >= until) continue;
    const last = result.at(-1);
    if (last?.compliance === compliance && last.until === from / 1000) last.until = until / 1000;
    else result.push({ from: from / 1000, until: until / 1000, compliance });
  }
  return result;
}

function runsIn({ snapshots }: Environment, shown: readonly Shown[]) {
  const runs = new Set<Run>();
  for (const { snapshot } of shown) for (const { run } of snapshot.running) runs.add(run);
  return [...runs].map((run) => {
    const placedIn = ({ running }: Snapshot): Placed | undefined => running.find((placed) => placed.run === run);
    const [report] = shown.flatMap(({ snapshot }) => placedIn(snapshot) ?? []).at(-1)?.provenance ?? [];
    return {
      lane: laneOf(run, snapshots),
      name: run.name,
      fingerprint: run.fingerprint,
      flow_name: report?.flow.name ?? '',
      trail_name: report?.trail ?? '',
      git_commit: report?.commit ?? '',
      from: (snapshots[run.startedIn - 1]?.at ?? 0) / 1000,
      until: atOrNull(snapshots.find(({ exited }) => exited.some((placed) => placed.run === run))),
      states: intervals(shown, (snapshot) => placedIn(snapshot)?.verdict.compliance),
    };
  });
}

/** By its last known state. */
function laneOf(run: Run, snapshots: readonly Snapshot[]): string {
  const placed = snapshots.flatMap(({ running }) => running.filter((found) => found.run === run));
  const named = placed.at(-1)?.provenance.find((report) => report.templateName !== null);
  return named ? `${named.flow.name} ${named.templateName}` : ` ${run.name.replace(/(:[^/:@]+)?(@[^/@]+)?$/, '')}`;
}

function atOrNull(snapshot: Snapshot | undefined): number | null {
  return snapshot ? snapshot.at / 1000 : null;
}

function inBrief(timeline: contracts.Timeline, known: number): object {
  if (!('lanes' in timeline)) return timeline;
  const { snapshot_count, snapshots, lanes, density, compliance } = timeline;
  return {
    snapshot_count,
    density: density.reduce((sum, count) => sum + count, 0),
    snapshots,
    // What was unknown before stays so in the stale period, in one piece.
    compliance: compliance
      .filter(({ from }) => from * 1000 < known)
      .map((span) => ({ ...span, until: Math.min(span.until, known / 1000) })),
    runs: lanes
      .flatMap(({ name, flow_name, runs }) =>
        runs.map(({ instances: _, ...run }) => ({ lane: `${flow_name} ${name}`, ...run })),
      )
      .sort(byStart),
  };
}

interface RunInBrief {
  from: number;
  name: string;
  fingerprint: string;
  lane: string;
  trail_name: string;
}

/** Several may start at once; one artifact even twice, when it stops in the same millisecond. */
function byStart(a: RunInBrief, b: RunInBrief): number {
  const textOf = ({ name, fingerprint, lane, trail_name }: RunInBrief) =>
    [name, fingerprint, lane, trail_name].join('\n');
  return a.from - b.from || byText(textOf(a), textOf(b));
}
