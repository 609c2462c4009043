import { mailKinds, processors, tasks } from '../app/worker.ts';
import { observeLedgerChecks } from '../features/ledger-checks/ledger-check.metrics.ts';
import { unsubscribeUrl } from '../features/notifications/mail-consent/unsubscribe-link.ts';
import { runKeyExpiries } from '../features/notifications/plan/key-expiry.ts';
import { createDeliveries } from '../features/notifications/queue/deliver.ts';
import { observeDeliveries } from '../features/notifications/queue/delivery.metrics.ts';
import { runMessageCloser } from '../features/notifications/queue/message-closer.ts';
import { observeStorage } from '../features/org-settings/storage-quotas/storage-quota.metrics.ts';
import { observeRemovals } from '../features/retention/file-sweep.tasks.ts';
import { observeReevaluations } from '../features/runtime-verdicts/reevaluation/reevaluation.metrics.ts';
import { createReevaluations } from '../features/runtime-verdicts/reevaluation/reevaluation-queue.ts';
import { runVerdictTurns } from '../features/runtime-verdicts/turns/verdict-turns.ts';
import { runWaiverExpiry } from '../features/waivers/waiver-expiry.ts';
import { createAlarm } from '../platform/alarm.ts';
import { openBlobs } from '../platform/blobs/open-blobs.ts';
import { openObjects } from '../platform/blobs/open-objects.ts';
import { followDatabaseClock } from '../platform/db/database-clock.ts';
import { openDb } from '../platform/db/db.ts';
import { runTasks } from '../platform/jobs/run-tasks.ts';
import { runEventPublisher } from '../platform/journal/event-publisher.ts';
import { observeJournal } from '../platform/journal/journal.metrics.ts';
import { hearLanes, publishSequenced } from '../platform/journal/notices.ts';
import type { LanePosition } from '../platform/journal/pass.ts';
import { runProcessors } from '../platform/journal/processors.ts';
import { runSequencer } from '../platform/journal/sequencer.ts';
import { linkStream } from '../platform/journal/stream.ts';
import { observeLedger } from '../platform/ledger/ledger.metrics.ts';
import { parseLogKeys } from '../platform/ledger/log-keys.ts';
import { runOutside } from '../platform/ledger/outside.ts';
import { runSealer } from '../platform/ledger/sealer.ts';
import { observeTimeStamps } from '../platform/ledger/time-stamps/time-stamp.metrics.ts';
import { askedWitnesses } from '../platform/ledger/witnesses/asked-witnesses.ts';
import { observeWitnesses } from '../platform/ledger/witnesses/witness.metrics.ts';
import { openMailer } from '../platform/mail/mailer.ts';
import { runMails } from '../platform/mail/outbox.ts';
import { createGuardedFetch } from '../platform/outbound/guarded-fetch.ts';
import { outboundOptions } from '../platform/outbound/outbound-options.ts';
import { observeQueues } from '../platform/queue.metrics.ts';
import { openSecretBox } from '../platform/secret-box.ts';
import type { Running, ServerProcess, Together } from './running.ts';
import { orMisconfigured } from './start.ts';

export function startWorker(
  { config, log, metrics }: ServerProcess,
  together?: Together & Pick<Running, 'watchQueue'>,
): Running {
  const db = openDb(config.database, log);
  if (metrics) {
    observeLedgerChecks(metrics, db);
    observeJournal(metrics, db, { hasStream: config.stream !== undefined });
    observeLedger(metrics, db);
    observeWitnesses(metrics, db);
    if (config.ledger.timeStamps) observeTimeStamps(metrics, db);
    observeDeliveries(metrics, db);
    observeReevaluations(metrics, db);
    observeStorage(metrics, db);
    observeRemovals(metrics, db);
  }
  const stopping = new AbortController();
  const sequenced = createAlarm();
  const woken = new Set<(lanes: readonly LanePosition[]) => void>();
  const wakeProcessors = (lanes: readonly LanePosition[]) => {
    sequenced.wake();
    for (const wake of woken) wake(lanes);
  };
  const stream = linkStream(config.stream, 'waymark-worker', log, (linked) => {
    hearLanes({ ...linked, log }, wakeProcessors);
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
    const logKeys = await orMisconfigured('WAYMARK_LEDGER_KEY', parseLogKeys(config.ledger.keys));
    const now = await followDatabaseClock({ db, log, signal });
    const reevaluations = createReevaluations({ db, log, now });
    const outbound = createGuardedFetch(outboundOptions(config));
    const deliveries = createDeliveries({
      db,
      box,
      publicUrl,
      outbound,
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
    const objects = openObjects(config.blobs);
    const scheduled = tasks({ blobs: openBlobs(config.blobs), objects }, config.storageQuota, log);
    log.info({ region: config.region }, 'worker runs');
    await Promise.all([
      runSequencer({
        ...parts,
        ...(together && { written: together.written }),
        onSequenced(passed) {
          wakeProcessors(passed.lanes);
          together?.listeners.wake(passed.orgs);
          publishSequenced(stream, passed);
        },
      }),
      runSealer({ ...parts, objects, name: config.ledger.name, keys: logKeys, sequenced }),
      runOutside({
        ...{ ...parts, outbound, now, authority: config.ledger.timeStamps },
        witnesses: config.ledger.witnesses ? askedWitnesses(config.ledger.witnesses) : [],
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
      runVerdictTurns({ db, log, now, wake: reevaluations.wake }, signal),
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
