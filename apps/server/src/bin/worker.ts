import closeWithGrace from 'close-with-grace';
import { mailKinds, processors, tasks } from '../app/worker.ts';
import { unsubscribeUrl } from '../features/notifications/mail-consent/unsubscribe-link.ts';
import { runKeyExpiries } from '../features/notifications/plan/key-expiry.ts';
import { createDeliveries } from '../features/notifications/queue/deliver.ts';
import { observeDeliveries } from '../features/notifications/queue/delivery.metrics.ts';
import { runMessageCloser } from '../features/notifications/queue/message-closer.ts';
import { observeStorage } from '../features/org-settings/storage-quotas/storage-quota.metrics.ts';
import { observeReevaluations } from '../features/runtime-verdicts/reevaluation/reevaluation.metrics.ts';
import { createReevaluations } from '../features/runtime-verdicts/reevaluation/reevaluation-queue.ts';
import { runWaiverExpiry } from '../features/waivers/waiver-expiry.ts';
import { openBlobs } from '../platform/blobs/open-blobs.ts';
import { followDatabaseClock } from '../platform/db/database-clock.ts';
import { runTasks } from '../platform/jobs/run-tasks.ts';
import { observeJournal } from '../platform/journal/journal.metrics.ts';
import { runProcessors } from '../platform/journal/processors.ts';
import { runRelay } from '../platform/journal/relay.ts';
import { observeRestore, openCheckedDb, runUnlessAhead } from '../platform/journal/restore-check.ts';
import { feedSubject, linkStream } from '../platform/journal/stream.ts';
import { openMailer } from '../platform/mail/mailer.ts';
import { runMails } from '../platform/mail/outbox.ts';
import { createGuardedFetch } from '../platform/outbound/guarded-fetch.ts';
import { outboundOptions } from '../platform/outbound/outbound-options.ts';
import { observeQueues } from '../platform/queue.metrics.ts';
import { openSecretBox } from '../platform/secret-box.ts';
import { stopTelemetry } from '../platform/telemetry.ts';
import { metricsOf, start } from './start.ts';

const { config, log } = start();
const { db, restore } = openCheckedDb(config.database, log);
const metrics = await metricsOf(config);
if (metrics) {
  observeRestore(metrics, restore);
  observeJournal(metrics, db);
  observeDeliveries(metrics, db);
  observeReevaluations(metrics, db);
  observeStorage(metrics, db);
}
const stopping = new AbortController();
const stream = linkStream(config.stream, 'waymark-worker', log);
// A separate mailer, so that sign-in links do not wait behind notifications.
const mailer = config.mail && openMailer(config.mail);
const deliveryMailer = config.mail && openMailer(config.mail);
if (metrics) {
  const watchQueue = observeQueues(metrics);
  if (mailer) watchQueue('mail', mailer.figures);
  if (deliveryMailer) watchQueue('delivery_mail', deliveryMailer.figures);
}
const box = config.secretKeys && openSecretBox(...config.secretKeys);
const { publicUrl } = config;
const kinds = mailKinds({ publicUrl, signUp: config.signIn.signUp, storageQuota: config.storageQuota });

async function work(signal: AbortSignal): Promise<void> {
  const now = await followDatabaseClock({ db, log, signal });
  const reevaluations = createReevaluations({ db, log });
  const deliveries = createDeliveries({
    db,
    box,
    publicUrl,
    outbound: createGuardedFetch(outboundOptions(config)),
    mailer: deliveryMailer,
    unsubscribeUrl: unsubscribeUrl(publicUrl, box),
    log,
    now,
  });
  const wake = {
    feeds: (orgIds: readonly string[]) => stream.current()?.publish(feedSubject(config.stream), JSON.stringify(orgIds)),
    reevaluations: reevaluations.wake,
    deliveries: deliveries.wake,
  };
  const parts = { db, nats: stream.current, stream: config.stream, log, signal };
  const scheduled = tasks(openBlobs(config.blobs), config.storageQuota, log);
  log.info({ region: config.region }, 'worker runs');
  await Promise.all([
    runRelay(parts),
    runProcessors({ ...parts, processors: processors(wake) }),
    reevaluations.run(signal),
    deliveries.run(signal),
    runMessageCloser({ db, log, now, wake: deliveries.wake }, signal),
    runWaiverExpiry({ db, log, now }, signal),
    runKeyExpiries({ db, log, now }, signal),
    runMails({ db, mailer, kinds, log, now }, signal),
    runTasks({ db, tasks: scheduled, log, now }, signal),
  ]);
}

const running = runUnlessAhead({ restore, log, signal: stopping.signal }, work);

closeWithGrace({ delay: 30_000, logger: false }, async ({ err }) => {
  if (err) log.error({ err }, 'stopping after an error');
  stopping.abort();
  await running;
  mailer?.close();
  deliveryMailer?.close();
  await stream.close();
  await db.destroy();
  await metrics?.close();
  await stopTelemetry();
});
