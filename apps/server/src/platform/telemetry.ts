/**
 * Traces, off until OTEL_EXPORTER_OTLP_ENDPOINT is set. Imported before everything else, so that it instruments the web
 * server; for the same reason it reads the variable itself.
 */
// biome-ignore lint/style/noProcessEnv: see above
const sdk = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ? await startTracing() : undefined;

async function startTracing() {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { FastifyOtelInstrumentation } = await import('@fastify/otel');
  const started = new NodeSDK({
    serviceName: 'waymark',
    instrumentations: [
      new FastifyOtelInstrumentation({
        registerOnInitialization: true,
        // By default it includes the query, and so the tokens of links.
        requestHook: (span, { url }) => span.setAttribute('url.path', url.split('?')[0] ?? ''),
      }),
    ],
  });
  started.start();
  return started;
}

/** Sends pending spans. */
export async function stopTelemetry(): Promise<void> {
  await sdk?.shutdown();
}
