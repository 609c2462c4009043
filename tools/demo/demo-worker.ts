import { mailKinds, processors } from '../../apps/server/src/app/worker.ts';
import { raiseKeyExpiries } from '../../apps/server/src/features/notifications/plan/key-expiry.ts';
import { notificationProcessor } from '../../apps/server/src/features/notifications/plan/notification.processor.ts';
import { deliverDue } from '../../apps/server/src/features/notifications/queue/deliver.ts';
import { closeDueMessages } from '../../apps/server/src/features/notifications/queue/message.service.ts';
import { takeReevaluations } from '../../apps/server/src/features/runtime-verdicts/reevaluation/reevaluation-queue.ts';
import { endExpired } from '../../apps/server/src/features/waivers/waiver-expiry.ts';
import { NO_QUOTA } from '../../apps/server/src/platform/http/storage-quota.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';
import { LANES, laneOf } from '../../apps/server/src/platform/journal/lanes.ts';
import { beat, declareLanes, rebalance, release } from '../../apps/server/src/platform/journal/leases.ts';
import { sequenceAll } from '../../apps/server/src/platform/journal/pass.ts';
import { takeTurn } from '../../apps/server/src/platform/journal/processor.ts';
import { sendDueMails } from '../../apps/server/src/platform/mail/outbox.ts';
import type { DemoApi } from './demo-api.ts';
import { HOUR } from './moments.ts';

/** The continuous work of a worker, done on demand, at the time of the clock. */
export interface DemoWorker {
  /** Ends expired resources, processes all recorded entries, and sends due messages. */
  work(): Promise<void>;
  /** Does the remaining work of every org, and releases all resources. */
  finish(): Promise<void>;
}

export async function openDemoWorker(api: DemoApi, orgId: string): Promise<DemoWorker> {
  const { db, log, now } = api;
  const noWake = { reevaluations: () => undefined, deliveries: () => undefined };
  // Gives the task that needs the time the time of the history.
  const all = processors(noWake).map((processor) =>
    processor.name === 'notifications' ? notificationProcessor(() => undefined, now) : processor,
  );
  const holder = newId();
  await declareLanes(db, all);
  await beat(db, holder, HOUR / 1000);
  await rebalance(
    db,
    holder,
    all.map(({ name }) => name),
  );
  const lane = laneOf(orgId);
  const react = async (lanes: readonly number[]) => {
    await sequenceAll(db);
    for (const processor of all) while ((await takeTurn({ db, processor, lanes, holder })).kind === 'more');
  };
  const deliver = () =>
    deliverDue({
      db,
      box: api.box,
      publicUrl: api.publicUrl,
      outbound: api.outbound,
      mailer: api.mailer,
      log,
      now,
      random: () => 0.5,
    });
  const work = async (lanes: readonly number[]) => {
    await endExpired({ db, log, now });
    await raiseKeyExpiries({ db, log, now });
    await react(lanes);
    await closeDueMessages(db, now());
    await deliver();
    const kinds = mailKinds({ publicUrl: api.publicUrl, signUp: 'invited', storageQuota: NO_QUOTA });
    await sendDueMails({ db, mailer: api.mailer, kinds, log, now });
  };
  return {
    work: () => work([lane]),
    async finish() {
      await work(Array.from({ length: LANES }, (_, each) => each));
      // All were judged at their time: mark them, so that nothing is processed twice.
      while ((await takeReevaluations({ db, log, now })) > 0);
      await react([lane]);
      await release(db, holder);
    },
  };
}
