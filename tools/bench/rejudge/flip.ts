import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 10;
const PATIENCE_MS = 120_000;

/** The number of environments in the expected state. */
export type CountDone = () => Promise<number>;

/**
 * Makes a change and waits until it has reached all environments. Returns the milliseconds from its acknowledgement
 * until each environment had it, in order.
 */
export async function timeFlip(change: () => Promise<void>, count: CountDone, expected: number): Promise<number[]> {
  await change();
  const acknowledged = performance.now();
  const taken: number[] = [];
  while (taken.length < expected) {
    const done = await count();
    const ms = performance.now() - acknowledged;
    if (ms > PATIENCE_MS) throw new Error(`after ${PATIENCE_MS} ms ${done} of ${expected} environments have changed`);
    while (taken.length < done) taken.push(ms);
    if (done < expected) await sleep(POLL_MS);
  }
  return taken;
}
