import { createListeners } from '../features/activity/feed/listeners.ts';
import { createAlarm } from '../platform/alarm.ts';
import { startApi } from './api.ts';
import type { Running, ServerProcess } from './running.ts';
import { startWorker } from './worker.ts';

/** The API and a worker in one process. They wake each other without NATS. */
export async function startTogether(server: ServerProcess): Promise<Running[]> {
  const together = { written: createAlarm(), listeners: createListeners() };
  const api = await startApi(server, together);
  const worker = startWorker(server, { ...together, watchQueue: api.watchQueue });
  return [api, worker];
}
