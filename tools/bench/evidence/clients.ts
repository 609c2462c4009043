import { type Call, MAX_CALLERS, send } from '../call.ts';

/** Lets the clients make so many calls, each as soon as it has its last response, and returns the durations in ms. */
export async function timeCalls(url: string, key: string, count: number, next: () => Call): Promise<number[]> {
  const taken: number[] = [];
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const call = next();
      const started = performance.now();
      await send(url, key, call);
      taken.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: MAX_CALLERS }, client));
  return taken.sort((a, b) => a - b);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
