import { ask, type Call } from './call.ts';
import { explainAll, type Plans } from './evidence/plans.ts';
import { type Installation, install, makeKey } from './installation.ts';
import { compareLatencies, type Filled, type Latencies, ratiosOf } from './latencies.ts';
import { print, round2 } from './rounds.ts';
import { type Current, currentsOf } from './runtime/current.ts';
import {
  countsIn,
  type LoadedProvenance,
  loadEnvironments,
  loadProvenance,
  runsOf,
  type Shape,
  settle,
} from './runtime/load.ts';
import { setting } from './settings.ts';

const SLOTS = setting('BENCH_ARTIFACTS', 2_000);
const CEILING = 3;

interface Size {
  readonly snapshots: number;
  readonly environments: number;
}

const SMALL: Size = { snapshots: 1_000, environments: 10 };
const LARGE: Size = {
  snapshots: setting('BENCH_SNAPSHOTS', 500_000),
  environments: setting('BENCH_ENVIRONMENTS', 5_000),
};

interface Known extends Size {
  /** Of the long history. */
  readonly name: string;
  readonly current: Current;
  /** Of a snapshot, as an expression. */
  momentOf(index: number): string;
}

const HISTORY = ['snapshot', 'running', 'running_instances', 'running_verdict', 'artifact'];
const PER_PAGE = 10;
const EVENTS_A_SNAPSHOT = 4;

/** One call of each kind; those about history use a random place. */
const questions: Readonly<Record<string, (known: Known) => Call>> = {
  latest: ({ name }) => get(`/snapshots/acme/${name}/-1`),
  middle: (known) => get(`/snapshots/acme/${known.name}/${somewhere(known)}`),
  by_time: (known) => get(`/snapshots/acme/${known.name}/${encodeURIComponent(known.momentOf(somewhere(known)))}`),
  list: ({ name }) => get(`/snapshots/acme/${name}`),
  list_deep: (known) => get(`/snapshots/acme/${known.name}?page=${Math.ceil(somewhere(known) / 15)}`),
  diff_near: ({ name }) => get(`/env-diff/acme?snappish1=${name}~100&snappish2=${name}`),
  diff_middle: (known) =>
    get(`/env-diff/acme?snappish1=${known.name}~${Math.floor(known.snapshots / 2)}&snappish2=${known.name}`),
  events: ({ name }) => get(`/environments/acme/${name}/events?interval=`),
  events_deep: (known) =>
    get(`/environments/acme/${known.name}/events?page=${Math.ceil((EVENTS_A_SNAPSHOT * somewhere(known)) / 15)}`),
  environments: ({ environments }) =>
    get(`/environments/acme?per_page=${PER_PAGE}&page=${any(Math.floor(environments / PER_PAGE)) + 1}`),
  environments_named: () => get(`/environments/acme?per_page=${PER_PAGE}&name=THER-${any(10)}`),
  // Last, as they add to what the others read.
  report_same: ({ current }) => current.same(),
  report_changed: ({ current }) => current.changed(),
};

/** Compares the latencies of an environment with 500,000 snapshots with those of one with 1,000. */
export async function benchRuntime(): Promise<boolean> {
  const installations: Installation[] = [];
  try {
    const small = await prepare(installations, SMALL);
    const large = await prepare(installations, LARGE);
    const plans = await plansOf(large);
    const results = await measure(small, large);
    const ratios = ratiosOf(results);
    const eventsP95 = round2(results.find(({ name }) => name === 'events')?.largeP95 ?? Number.NaN);
    print(JSON.stringify({ name: 'runtime', ratios, events_p95_ms: eventsP95 }));
    return plans.scans.length === 0 && Object.values(ratios).every((ratio) => ratio <= CEILING);
  } finally {
    for (const installation of installations) installation.remove();
  }
}

async function measure(small: Filled<Known>, large: Filled<Known>): Promise<Latencies[]> {
  const servers = [await small.installation.start('api'), await large.installation.start('api')];
  try {
    return await compareLatencies(questions, small, large);
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function plansOf({ installation, key, size }: Filled<Known>): Promise<Plans> {
  const calls = () => Object.values(questions).map((ask) => ask(size));
  const plans = await explainAll(installation, key, calls, HISTORY);
  print(`${plans.statements} statements explained on the large one, ${plans.scans.length} scans`);
  for (const scan of plans.scans) print(`  ${scan}`);
  return plans;
}

async function prepare(installations: Installation[], size: Size): Promise<Filled<Known>> {
  const installation = await install();
  installations.push(installation);
  const key = makeKey(installation);
  const started = performance.now();
  load(installation, size);
  print(
    `${countsIn(installation, [...HISTORY, 'environment'])} loaded in ${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
  const server = await installation.start('api');
  try {
    const name = 'long-1';
    const [current] = await currentsOf(installation, key, [name]);
    if (!current) throw new Error(`nothing runs in ${name}`);
    const known = { ...size, name, current, momentOf: momentsIn(installation, size) };
    const filled = { installation, key, size: known };
    await checkLoaded(filled);
    return filled;
  } finally {
    await server.stop();
  }
}

function load(installation: Installation, { snapshots, environments }: Size): void {
  const provenance: LoadedProvenance = { flows: 100, trails: 2_000 };
  const long: Shape = { prefix: 'long', environments: 1, slots: SLOTS, snapshots, replaced: 2 };
  const others: Shape = { prefix: 'other', environments: environments - 1, slots: 4, snapshots: 3, replaced: 1 };
  loadProvenance(installation, provenance);
  loadEnvironments(installation, long, provenance);
  loadEnvironments(installation, others, provenance, runsOf(long));
  settle(installation);
}

function momentsIn(installation: Installation, { snapshots }: Size): (index: number) => string {
  const latest = Number(
    installation.sql(`select extract(epoch from last_changed_at) from environment where name = 'long-1'`),
  );
  return (index) => {
    const moment = new Date((latest - (snapshots - index) * 60) * 1000);
    return `@{${moment.toISOString().slice(0, 19)}}`;
  };
}

/** The loaded rows must read like reports: one run per slot, all with provenance. */
async function checkLoaded({ installation, key, size }: Filled<Known>): Promise<void> {
  const read = async (path: string) => {
    const { content } = await ask(installation.url, key, get(path));
    return JSON.parse(content) as { index: number; artifacts: { annotation: { now: number }; flows: unknown[] }[] };
  };
  const indexes = [
    1,
    2,
    Math.ceil(size.snapshots / 3),
    Math.ceil(size.snapshots / 2),
    size.snapshots - 1,
    size.snapshots,
  ];
  for (const index of indexes) {
    for (const expression of [String(index), encodeURIComponent(size.momentOf(index))]) {
      const snapshot = await read(`/snapshots/acme/${size.name}/${expression}`);
      const running = snapshot.artifacts.filter(({ annotation }) => annotation.now > 0);
      const isWhole = running.length === SLOTS && running.every(({ flows }) => flows.length === 1);
      const exited = snapshot.artifacts.length - running.length;
      if (snapshot.index !== index || !isWhole || exited !== (index === 1 ? 0 : 2)) {
        throw new Error(`snapshot ${index} is read as ${snapshot.index}: ${running.length} run, ${exited} exited`);
      }
    }
  }
  print(`${indexes.length} snapshots hold ${SLOTS} artifacts each, by number and by time`);
}

function get(path: string): Call {
  return { method: 'GET', path };
}

function any(count: number): number {
  return Math.floor(Math.random() * count);
}

/** Around the middle, where rows that ended before and after must be skipped. */
function somewhere({ snapshots }: Size): number {
  return Math.floor(snapshots / 4) + any(Math.floor(snapshots / 2));
}
