/**
 * Traces, off until OTEL_EXPORTER_OTLP_ENDPOINT is set. Imported before everything else, so that the web server is made
 * under its eyes; for the same reason it reads the variable itself.
 */
// biome-ignore lint/style/noProcessEnv: see above
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { FastifyOtelInstrumentation } = await import('@fastify/otel');
  const sdk = new NodeSDK({
    serviceName: 'waymark',
    instrumentations: [new FastifyOtelInstrumentation({ registerOnInitialization: true })],
  });
  sdk.start();
  process.once('beforeExit', () => void sdk.shutdown());
}
