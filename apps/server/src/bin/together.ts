import { createListeners } from '../features/activity/feed/listeners.ts';
import { createAlarm } from '../platform/alarm.ts';
import { startApi } from './api.ts';
import type { Running, Surroundings } from './running.ts';
import { startWorker } from './worker.ts';

/** The API and a worker in one process. They wake each other without NATS. */
export async function startTogether(surroundings: Surroundings): Promise<Running[]> {
  const together = { written: createAlarm(), listeners: createListeners() };
  const api = await startApi(surroundings, together);
  const worker = startWorker(surroundings, { ...together, watchQueue: api.watchQueue });
  return [api, worker];
}
