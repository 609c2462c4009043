import closeWithGrace from 'close-with-grace';
import { buildApi } from '../app/api.ts';
import { createListeners } from '../features/feed/listeners.ts';
import { openDb } from '../platform/db/db.ts';
import { createPoke } from '../platform/journal/poke.ts';
import { connectNats, feedSubject, type NatsConnection } from '../platform/journal/stream.ts';
import { openMetrics } from '../platform/metrics.ts';
import { stopTelemetry } from '../platform/telemetry.ts';
import { systemClock } from '../platform/time.ts';
import { start } from './start.ts';

const { config, log } = start();
const db = openDb(config.database, log);
const metrics =
  config.metricsPort === undefined ? undefined : openMetrics({ host: config.listen.host, port: config.metricsPort });
const listeners = createListeners();

// The API serves with or without the stream: what is committed is told to it later.
let nats: NatsConnection | undefined;
void connectNats(config.stream, 'waymark-api', log).then(async (connection) => {
  nats = connection;
  for await (const message of connection.subscribe(feedSubject(config.stream)))
    listeners.wake(message.json<string[]>());
});

const app = buildApi(
  {
    db,
    log,
    metrics,
    now: systemClock,
    publicUrl: config.publicUrl,
    rateLimit: config.rateLimit,
    trustedProxies: config.trustedProxies,
    onWrite: createPoke(() => nats, config.stream),
  },
  listeners,
);

closeWithGrace({ delay: 30_000, logger: false }, async ({ err }) => {
  if (err) log.error({ err }, 'stopping after an error');
  app.drain();
  await app.http.close();
  await nats?.close();
  await db.destroy();
  await metrics?.close();
  await stopTelemetry();
});

await app.http.listen(config.listen);
log.info({ region: config.region, url: config.publicUrl }, 'api listens');
