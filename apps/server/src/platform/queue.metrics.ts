import type { QueueFigures } from './fair-queue.ts';
import type { Figure, Metrics } from './metrics.ts';

/** Publishes the figures of a queue under its name. */
export type WatchQueue = (queue: string, figures: () => QueueFigures) => void;

export function observeQueues(metrics: Metrics): WatchQueue {
  const queues = new Map<string, () => QueueFigures>();
  const read = (value: (figures: QueueFigures) => number) => async (): Promise<Figure[]> =>
    [...queues].map(([queue, figures]) => ({ value: value(figures()), labels: { queue } }));
  metrics.observe(
    'queue_running',
    'Tasks in progress',
    read(({ running }) => running),
  );
  metrics.observe(
    'queue_waiting',
    'Tasks waiting for their turn',
    read(({ waiting }) => waiting),
  );
  metrics.observeSum(
    'queue_admitted_total',
    'Tasks that were started',
    read(({ admitted }) => admitted),
  );
  metrics.observeSum(
    'queue_refused_total',
    'Tasks that were rejected with 503',
    read(({ refused }) => refused),
  );
  metrics.observeSum(
    'queue_wait_seconds_total',
    'Total time that tasks have waited for their turn',
    read(({ waitedSeconds }) => waitedSeconds),
  );
  return (queue, figures) => queues.set(queue, figures);
}
