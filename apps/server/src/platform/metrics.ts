import type { ObservableResult } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

export interface Metrics {
  countRequest(request: { method: string; route: string; status: number; seconds: number }): void;
  /** A gauge that is read from its source whenever metrics are collected; one value per set of labels. */
  observe(name: string, description: string, read: () => Promise<readonly Figure[]>): void;
  /** Like `observe`, for values that only grow. */
  observeSum(name: string, description: string, read: () => Promise<readonly Figure[]>): void;
  close(): Promise<void>;
}

export interface Figure {
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Prometheus metrics at /metrics, on a port of their own so that they are never public by accident. */
export async function openMetrics(listen: { host: string; port: number }): Promise<Metrics> {
  const exporter = new PrometheusExporter({
    host: listen.host,
    port: listen.port,
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  });
  const provider = new MeterProvider({ readers: [exporter] });
  await exporter.startServer();
  const meter = provider.getMeter('waymark');
  const requests = meter.createHistogram('http_server_request_duration_seconds', {
    unit: 's',
    description: 'Duration of requests',
    advice: { explicitBucketBoundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
  });
  const reading = (read: () => Promise<readonly Figure[]>) => async (result: ObservableResult) => {
    for (const { value, labels } of await read()) result.observe(value, labels);
  };
  return {
    countRequest: ({ method, route, status, seconds }) => requests.record(seconds, { method, route, status }),
    observe: (name, description, read) => meter.createObservableGauge(name, { description }).addCallback(reading(read)),
    observeSum: (name, description, read) =>
      meter.createObservableCounter(name, { description }).addCallback(reading(read)),
    close: () => provider.shutdown(),
  };
}
