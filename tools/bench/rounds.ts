import { withForeignLoad } from './machine.ts';

export interface Side {
  readonly name: string;
  /** Runs once and returns operations a second. */
  measure(): Promise<number>;
}

export interface Comparison {
  readonly name: string;
  readonly ours: Side;
  readonly bare: Side;
  readonly rounds: number;
  /** Processes whose load is part of the measurement, such as the database. */
  readonly roots: readonly number[];
}

const FOREIGN_LIMIT = 0.05;
const TRIES_PER_ROUND = 3;

/** Measures both sides alternately, prints a table and one last line of JSON. */
export async function compare(comparison: Comparison): Promise<number> {
  const { name, ours, bare, rounds, roots } = comparison;
  const results: { ours: number; bare: number }[] = [];
  print(`round  ${ours.name.padStart(16)}  ${bare.name.padStart(16)}  ratio  others`);
  for (let round = 1; round <= rounds; round++) {
    const result = await untilQuiet(
      roots,
      () => alternate(ours, bare, round),
      (result, others) => {
        const ratio = (result.ours / result.bare).toFixed(2);
        print(
          `${String(round).padStart(5)}  ${figure(result.ours)}  ${figure(result.bare)}  ${ratio.padStart(5)}  ${others}`,
        );
      },
    );
    results.push(result);
  }
  const ratios = results.map((round) => round.ours / round.bare).sort((a, b) => a - b);
  const ratio = median(ratios);
  print(
    JSON.stringify({
      name,
      ratio: round2(ratio),
      range: [round2(ratios[0] ?? 0), round2(ratios.at(-1) ?? 0)],
      ours: Math.round(median(results.map((round) => round.ours))),
      bare: Math.round(median(results.map((round) => round.bare))),
    }),
  );
  return ratio;
}

/**
 * Measures again while other processes take more than 5 % of the machine; the last try counts in any case. Each try is
 * reported, with the share of the others.
 */
export async function untilQuiet<Result>(
  roots: readonly number[],
  measure: () => Promise<Result>,
  tell: (result: Result, others: string) => void,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const { result, foreign } = await withForeignLoad(roots, measure);
    const noisy = foreign > FOREIGN_LIMIT;
    tell(result, `${(foreign * 100).toFixed(0)} %${noisy ? ' noisy' : ''}`);
    if (!noisy || attempt === TRIES_PER_ROUND) return result;
  }
}

/** The first has the warmer machine, so they take turns. */
async function alternate(ours: Side, bare: Side, round: number): Promise<{ ours: number; bare: number }> {
  if (round % 2 === 1) {
    const first = await ours.measure();
    return { ours: first, bare: await bare.measure() };
  }
  const first = await bare.measure();
  return { ours: await ours.measure(), bare: first };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function figure(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`.padStart(16);
}

export function round2(value: number): number {
  return Math.round(value * 100) / 100;
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
