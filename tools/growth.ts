/** Processor time is counted in steps of some milliseconds. */
const LONG_ENOUGH_MS = 40;
const MEASUREMENTS = 5;
const MAX_ROUNDS = 2 ** 24;

/**
 * Four times the work takes about four times as long when it is linear, and sixteen times when quadratic. Memory
 * effects alone can double the linear time.
 */
export const IN_PROPORTION = 11;

/**
 * Returns how many times as much processor time four times the work takes. Both are measured in turns, and the minimum
 * of each counts: any disturbance, such as garbage collection, only adds.
 */
export function growthOf(workOf: (size: number) => () => unknown, size: number): number {
  const [small, large] = [workOf(size), workOf(4 * size)];
  costOf(large, 3);
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds *= 2) {
    if (costOf(small, rounds) < LONG_ENOUGH_MS) continue;
    const costs = Array.from({ length: MEASUREMENTS }, () => [costOf(small, rounds), costOf(large, rounds)] as const);
    const leastOfSmall = Math.min(...costs.map(([small]) => small));
    const leastOfLarge = Math.min(...costs.map(([, large]) => large));
    if (leastOfSmall >= LONG_ENOUGH_MS / 2) return leastOfLarge / leastOfSmall;
  }
  throw new Error(`${MAX_ROUNDS} rounds of the work take too little time to be measured`);
}

/** Milliseconds of processor time of this thread: wall time would include other processes. */
function costOf(work: () => unknown, rounds: number): number {
  const start = process.threadCpuUsage();
  for (let round = 0; round < rounds; round++) work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
