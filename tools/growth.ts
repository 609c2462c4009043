/** Processor time is counted in steps of some milliseconds. */
const LONG_ENOUGH_MS = 40;
const MEASUREMENTS = 5;
const MAX_ROUNDS = 2 ** 24;

/**
 * Four times the work takes about four times as long when it is in proportion, and sixteen times with the square. Memory
 * alone can make it twice as much as in proportion.
 */
export const IN_PROPORTION = 11;

/**
 * How many times as much processor time the work takes when there is four times as much of it. Both are measured in
 * turns, and the least of each counts: whatever else happens, such as collecting what others left in memory, only adds.
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

/** Milliseconds of processor time of this thread: a clock would also count what else the machine does. */
function costOf(work: () => unknown, rounds: number): number {
  const start = process.threadCpuUsage();
  for (let round = 0; round < rounds; round++) work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
