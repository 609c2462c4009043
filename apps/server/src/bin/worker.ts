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
import { publishNews } from '../platform/journal/notices.ts';
import { runProcessors } from '../platform/journal/processors.ts';
import { runRelay } from '../platform/journal/relay.ts';
import { observeRestore, openCheckedDb, runUnlessAhead } from '../platform/journal/restore-check.ts';
import { linkStream } from '../platform/journal/stream.ts';
import { openMailer } from '../platform/mail/mailer.ts';
import { runMails } from '../platform/mail/outbox.ts';
import { createGuardedFetch } from '../platform/outbound/guarded-fetch.ts';
import { outboundOptions } from '../platform/outbound/outbound-options.ts';
import { observeQueues } from '../platform/queue.metrics.ts';
import { openSecretBox } from '../platform/secret-box.ts';
import type { Running, ServerProcess, Together } from './running.ts';

export function startWorker(
  { config, log, metrics }: ServerProcess,
  together?: Together & Pick<Running, 'watchQueue'>,
): Running {
  const { db, restore } = openCheckedDb(config.database, log);
  if (metrics) {
    if (!together) observeRestore(metrics, restore);
    observeJournal(metrics, db, { hasStream: config.stream !== undefined });
    observeDeliveries(metrics, db);
    observeReevaluations(metrics, db);
    observeStorage(metrics, db);
  }
  const stopping = new AbortController();
  const stream = linkStream(config.stream, 'waymark-worker', log);
  // A separate mailer, so that sign-in links do not wait behind notifications.
  const mailer = config.mail && openMailer(config.mail);
  const deliveryMailer = config.mail && openMailer(config.mail);
  const watchQueue = together?.watchQueue ?? (metrics ? observeQueues(metrics) : () => undefined);
  if (mailer) watchQueue('outbox_mail', mailer.figures);
  if (deliveryMailer) watchQueue('delivery_mail', deliveryMailer.figures);
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
      feeds(orgIds: readonly string[]) {
        together?.listeners.wake(orgIds);
        publishNews(stream, orgIds);
      },
      reevaluations: reevaluations.wake,
      deliveries: deliveries.wake,
    };
    const parts = { db, stream, log, signal };
    const scheduled = tasks(openBlobs(config.blobs), config.storageQuota, log);
    log.info({ region: config.region }, 'worker runs');
    await Promise.all([
      runRelay(parts),
      runProcessors({ ...parts, processors: processors(wake), ...(together && { written: together.written }) }),
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

  return {
    watchQueue,
    async stop() {
      stopping.abort();
      together?.written.wake();
      await running;
      mailer?.close();
      deliveryMailer?.close();
      await stream.close();
      await db.destroy();
    },
  };
}
