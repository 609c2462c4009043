import type { Call } from './call.ts';
import { percentile, timeCalls } from './evidence/clients.ts';
import { loadEvidence } from './evidence/load.ts';
import { explainAll } from './evidence/plans.ts';
import { questions } from './evidence/questions.ts';
import type { Size } from './evidence/rows.ts';
import { type Installation, install, serviceRoots } from './installation.ts';
import { median, print, round2, untilQuiet } from './rounds.ts';

const SMALL: Size = { trails: 20, flows: 4 };
const LARGE: Size = { trails: 20_000, flows: 40 };
const ROUNDS = 3;
const CALLS = 600;
const WARM_UP_CALLS = 200;
const CEILING = 3;

interface Loaded {
  readonly size: Size;
  readonly installation: Installation;
  readonly key: string;
}

/** What the latencies of an org with 1,000,000 attestations are, against those of a nearly empty one. */
export async function benchEvidence(): Promise<boolean> {
  const installations: Installation[] = [];
  try {
    const small = await prepare(installations, SMALL);
    const large = await prepare(installations, LARGE);
    for (const size of sizesOf(large.installation)) print(size);
    const plans = await explainAll(large.installation, large.key, LARGE);
    print(`${plans.statements} statements explained on the large one, ${plans.scans.length} scans`);
    for (const scan of plans.scans) print(`  ${scan}`);
    const ratios = await measureAll(small, large);
    print(JSON.stringify({ name: 'evidence', ratios }));
    return plans.scans.length === 0 && Object.values(ratios).every((ratio) => ratio <= CEILING);
  } finally {
    for (const installation of installations) installation.remove();
  }
}

/** What a row takes, with its indexes and its share of what is stored beside the table. */
function sizesOf(installation: Installation): string[] {
  return ['trail', 'artifact', 'attestation'].map((table) => {
    const bytes = installation.sql(`select pg_total_relation_size('${table}') / (select count(*) from ${table})`);
    const indexes = installation.sql(`select pg_indexes_size('${table}') / (select count(*) from ${table})`);
    return `${bytes} bytes for each ${table}, ${indexes} of them in indexes`;
  });
}

async function prepare(installations: Installation[], size: Size): Promise<Loaded> {
  const installation = await install();
  installations.push(installation);
  installation.admin('user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
  const key = installation.admin('key', 'create', '--user', 'ada');
  const started = performance.now();
  await loadEvidence(installation, size);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  print(`${size.trails.toLocaleString('en')} trails loaded in ${seconds} s`);
  return { size, installation, key };
}

async function measureAll(small: Loaded, large: Loaded): Promise<Record<string, number>> {
  const servers = [await small.installation.start('api'), await large.installation.start('api')];
  try {
    const results: Result[] = [];
    print(`${'call'.padEnd(14)}  round  small p50  small p95  large p95  ratio  others`);
    for (const [name, ask] of Object.entries(questions)) results.push(await measure(name, ask, small, large));
    print(`${'call'.padEnd(14)}         small p50  small p95  large p95  ratio`);
    for (const result of results) print(line(result, '', ''));
    return Object.fromEntries(results.map(({ name, ratio }) => [name, round2(ratio)]));
  } finally {
    for (const server of servers) await server.stop();
  }
}

interface Result {
  readonly name: string;
  readonly smallP50: number;
  readonly smallP95: number;
  readonly largeP95: number;
  readonly ratio: number;
}

async function measure(name: string, ask: (size: Size) => Call, small: Loaded, large: Loaded): Promise<Result> {
  const time = ({ installation, key, size }: Loaded, count: number) =>
    timeCalls(installation.url, key, count, () => ask(size));
  for (const loaded of [small, large]) await time(loaded, WARM_UP_CALLS);
  const kept: Result[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const result = await untilQuiet(
      serviceRoots(),
      async () => {
        const first = round % 2 === 1 ? small : large;
        const before = await time(first, CALLS);
        const after = await time(first === small ? large : small, CALLS);
        return first === small ? resultOf(name, before, after) : resultOf(name, after, before);
      },
      (result, others) => print(line(result, String(round), others)),
    );
    kept.push(result);
  }
  const middle = (of: (result: Result) => number) => median(kept.map(of));
  return {
    name,
    smallP50: middle((result) => result.smallP50),
    smallP95: middle((result) => result.smallP95),
    largeP95: middle((result) => result.largeP95),
    ratio: middle((result) => result.ratio),
  };
}

function resultOf(name: string, small: readonly number[], large: readonly number[]): Result {
  const smallP95 = percentile(small, 0.95);
  const largeP95 = percentile(large, 0.95);
  return { name, smallP50: percentile(small, 0.5), smallP95, largeP95, ratio: largeP95 / smallP95 };
}

function line({ name, smallP50, smallP95, largeP95, ratio }: Result, round: string, others: string): string {
  const figures = [smallP50, smallP95, largeP95].map((ms) => `${ms.toFixed(1)} ms`.padStart(9)).join('  ');
  return `${name.padEnd(14)}  ${round.padStart(5)}  ${figures}  ${ratio.toFixed(2).padStart(5)}  ${others}`.trimEnd();
}
