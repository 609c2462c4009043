import type { Figure, Metrics } from '../../src/platform/metrics.ts';

/** Metrics that a test reads instead of Prometheus. */
export function givenMetrics(): { metrics: Metrics; read: (name: string) => Promise<readonly Figure[] | undefined> } {
  const figures = new Map<string, () => Promise<readonly Figure[]>>();
  const observe = (name: string, _: string, read: () => Promise<readonly Figure[]>) => void figures.set(name, read);
  return {
    metrics: { countRequest: () => undefined, observe, observeSum: observe, close: async () => undefined },
    read: async (name) => figures.get(name)?.(),
  };
}
