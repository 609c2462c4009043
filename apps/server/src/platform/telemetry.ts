/**
 * Traces, off until OTEL_EXPORTER_OTLP_ENDPOINT is set. Imported before everything else, because what it measures must
 * be patched before it is loaded; for the same reason it reads the variable itself.
 */
// biome-ignore lint/style/noProcessEnv: see above
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { FastifyOtelInstrumentation } = await import('@fastify/otel');
  const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg');
  const sdk = new NodeSDK({
    serviceName: 'waymark',
    instrumentations: [new FastifyOtelInstrumentation({ registerOnInitialization: true }), new PgInstrumentation()],
  });
  sdk.start();
  process.once('beforeExit', () => void sdk.shutdown());
}
