import closeWithGrace from 'close-with-grace';
import type { Config } from '../config/env.ts';
import type { Listeners } from '../features/activity/feed/listeners.ts';
import type { Alarm } from '../platform/alarm.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { WatchQueue } from '../platform/queue.metrics.ts';
import { stopTelemetry } from '../platform/telemetry.ts';
import { metricsOf, start } from './start.ts';

/** What the parts of a server need of their process. */
export interface ServerProcess<Used = Config> {
  readonly config: Used;
  readonly log: Logger;
  readonly metrics: Metrics | undefined;
}

/** How the API and the worker wake each other when they are one process. */
export interface Together {
  readonly written: Alarm;
  readonly listeners: Listeners;
}

/** The API or the worker while it runs. */
export interface Running {
  readonly watchQueue: WatchQueue;
  stop(): Promise<void>;
}

type Settings = Pick<Config, 'metrics' | 'logLevel'>;

/** Runs parts until the process is told to stop, and then stops them in the same order. */
export async function runUntilStopped<Used extends Settings>(
  load: Parameters<typeof start<Used>>[0],
  startParts: (server: ServerProcess<Used>) => Promise<readonly Pick<Running, 'stop'>[]>,
): Promise<void> {
  const { config, log } = start(load);
  const metrics = await metricsOf(config);
  const parts: Pick<Running, 'stop'>[] = [];
  closeWithGrace({ delay: 30_000, logger: false }, async ({ err }) => {
    if (err) log.error({ err }, 'stopping after an error');
    for (const part of parts) await part.stop();
    await metrics?.close();
    await stopTelemetry();
  });
  parts.push(...(await startParts({ config, log, metrics })));
}
