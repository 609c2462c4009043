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
import { openDb } from '../platform/db/db.ts';
import { runTasks } from '../platform/jobs/run-tasks.ts';
import { runEventPublisher } from '../platform/journal/event-publisher.ts';
import { observeJournal } from '../platform/journal/journal.metrics.ts';
import { hearSequenced, publishSequenced } from '../platform/journal/notices.ts';
import type { LanePosition } from '../platform/journal/pass.ts';
import { runProcessors } from '../platform/journal/processors.ts';
import { runSequencer } from '../platform/journal/sequencer.ts';
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
  const db = openDb(config.database, log);
  if (metrics) {
    observeJournal(metrics, db, { hasStream: config.stream !== undefined });
    observeDeliveries(metrics, db);
    observeReevaluations(metrics, db);
    observeStorage(metrics, db);
  }
  const stopping = new AbortController();
  const woken = new Set<(lanes: readonly LanePosition[]) => void>();
  const wakeProcessors = (lanes: readonly LanePosition[]) => {
    for (const wake of woken) wake(lanes);
  };
  const stream = linkStream(config.stream, 'waymark-worker', log, (linked) => {
    hearSequenced({ ...linked, log }, ({ lanes }) => wakeProcessors(lanes));
  });
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
      reevaluations: reevaluations.wake,
      deliveries: deliveries.wake,
    };
    const parts = { db, stream, log, signal };
    const scheduled = tasks(openBlobs(config.blobs), config.storageQuota, log);
    log.info({ region: config.region }, 'worker runs');
    await Promise.all([
      runSequencer({
        ...parts,
        ...(together && { written: together.written }),
        onSequenced(sequenced) {
          wakeProcessors(sequenced.lanes);
          together?.listeners.wake(sequenced.orgs);
          publishSequenced(stream, sequenced);
        },
      }),
      runProcessors({
        ...parts,
        processors: processors(wake),
        listen(wake) {
          woken.add(wake);
          return () => woken.delete(wake);
        },
      }),
      runEventPublisher(parts),
      reevaluations.run(signal),
      deliveries.run(signal),
      runMessageCloser({ db, log, now, wake: deliveries.wake }, signal),
      runWaiverExpiry({ db, log, now }, signal),
      runKeyExpiries({ db, log, now }, signal),
      runMails({ db, mailer, kinds, log, now }, signal),
      runTasks({ db, tasks: scheduled, log, now }, signal),
    ]);
  }

  const running = work(stopping.signal);

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
