import { setTimeout } from 'node:timers/promises';

/** Waits, or returns at once when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await setTimeout(ms, undefined, { signal, ref: true }).catch(() => undefined);
}
