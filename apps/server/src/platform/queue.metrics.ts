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
    'Work under way',
    read(({ running }) => running),
  );
  metrics.observe(
    'queue_waiting',
    'Work that waits for its turn',
    read(({ waiting }) => waiting),
  );
  metrics.observeSum(
    'queue_admitted_total',
    'Work that got its turn',
    read(({ admitted }) => admitted),
  );
  metrics.observeSum(
    'queue_refused_total',
    'Work that got no turn, answered with 503',
    read(({ refused }) => refused),
  );
  metrics.observeSum(
    'queue_wait_seconds_total',
    'How long all work together has waited for its turn',
    read(({ waitedSeconds }) => waitedSeconds),
  );
  return (queue, figures) => queues.set(queue, figures);
}
