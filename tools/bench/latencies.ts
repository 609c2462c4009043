import type { Call } from './call.ts';
import { percentile, timeCalls } from './evidence/clients.ts';
import { type Installation, serviceRoots } from './installation.ts';
import { median, print, round2, untilQuiet } from './rounds.ts';
import { setting } from './settings.ts';

const ROUNDS = setting('BENCH_ROUNDS', 3);
const CALLS = setting('BENCH_CALLS', 600);
const WARM_UP_CALLS = Math.ceil(CALLS / 3);
const NAME_WIDTH = 20;
/** Comma-separated names, to run only some of the questions. */
const ONLY = process.env['BENCH_ONLY']?.split(',');

/** A filled installation, with the facts that the questions need. */
export interface Filled<Size> {
  readonly size: Size;
  readonly installation: Installation;
  readonly key: string;
}

export interface Latencies {
  readonly name: string;
  readonly smallP50: number;
  readonly smallP95: number;
  readonly largeP95: number;
  readonly ratio: number;
}

/** Asks both the same questions in turn, and reports how much longer the large one takes to answer. */
export async function compareLatencies<Size>(
  questions: Readonly<Record<string, (size: Size) => Call>>,
  small: Filled<Size>,
  large: Filled<Size>,
): Promise<Latencies[]> {
  const results: Latencies[] = [];
  print(`${'call'.padEnd(NAME_WIDTH)}  round  small p50  small p95  large p95  ratio  others`);
  for (const [name, ask] of Object.entries(questions)) {
    if (!ONLY || ONLY.includes(name)) results.push(await measure(name, ask, small, large));
  }
  print(`${'call'.padEnd(NAME_WIDTH)}         small p50  small p95  large p95  ratio`);
  for (const result of results) print(line(result, '', ''));
  return results;
}

export function ratiosOf(results: readonly Latencies[]): Record<string, number> {
  return Object.fromEntries(results.map(({ name, ratio }) => [name, round2(ratio)]));
}

async function measure<Size>(
  name: string,
  ask: (size: Size) => Call,
  small: Filled<Size>,
  large: Filled<Size>,
): Promise<Latencies> {
  const time = ({ installation, key, size }: Filled<Size>, count: number) =>
    timeCalls(installation.url, key, count, () => ask(size));
  for (const filled of [small, large]) await time(filled, WARM_UP_CALLS);
  const results: Latencies[] = [];
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
    results.push(result);
  }
  const middle = (of: (result: Latencies) => number) => median(results.map(of));
  return {
    name,
    smallP50: middle((result) => result.smallP50),
    smallP95: middle((result) => result.smallP95),
    largeP95: middle((result) => result.largeP95),
    ratio: middle((result) => result.ratio),
  };
}

function resultOf(name: string, small: readonly number[], large: readonly number[]): Latencies {
  const smallP95 = percentile(small, 0.95);
  const largeP95 = percentile(large, 0.95);
  return { name, smallP50: percentile(small, 0.5), smallP95, largeP95, ratio: largeP95 / smallP95 };
}

function line({ name, smallP50, smallP95, largeP95, ratio }: Latencies, round: string, others: string): string {
  const figures = [smallP50, smallP95, largeP95].map((ms) => `${ms.toFixed(1)} ms`.padStart(9)).join('  ');
  const call = name.padEnd(NAME_WIDTH);
  return `${call}  ${round.padStart(5)}  ${figures}  ${ratio.toFixed(2).padStart(5)}  ${others}`.trimEnd();
}
