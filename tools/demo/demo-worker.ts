import { mailKinds, processors } from '../../apps/server/src/app/worker.ts';
import { raiseKeyExpiries } from '../../apps/server/src/features/notifications/plan/key-expiry.ts';
import { notificationProcessor } from '../../apps/server/src/features/notifications/plan/notification.processor.ts';
import { deliverDue } from '../../apps/server/src/features/notifications/queue/deliver.ts';
import { closeDueMessages } from '../../apps/server/src/features/notifications/queue/message.service.ts';
import { takeReevaluations } from '../../apps/server/src/features/runtime-verdicts/reevaluation/reevaluation-queue.ts';
import { endExpired } from '../../apps/server/src/features/waivers/waiver-expiry.ts';
import type { Db } from '../../apps/server/src/platform/db/db.ts';
import { NO_QUOTA } from '../../apps/server/src/platform/http/storage-quota.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';
import { LANES } from '../../apps/server/src/platform/journal/lanes.ts';
import { beat, declareLanes, rebalance, release } from '../../apps/server/src/platform/journal/leases.ts';
import type { Processor } from '../../apps/server/src/platform/journal/processor.ts';
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
  const noWake = { feeds: () => undefined, reevaluations: () => undefined, deliveries: () => undefined };
  // Gives the task that needs the time the time of the history.
  const all = processors(noWake).map((processor) =>
    processor.name === 'notifications' ? notificationProcessor(() => undefined, now) : processor,
  );
  const holder = newId();
  await declareLanes(
    db,
    all.map(({ name }) => name),
  );
  await beat(db, holder, HOUR / 1000);
  await rebalance(
    db,
    holder,
    all.map(({ name }) => name),
  );
  const { lane } = await db
    .selectFrom('journal')
    .select('lane')
    .where('org_id', '=', orgId)
    .limit(1)
    .executeTakeFirstOrThrow();
  const react = async (lanes: readonly number[]) => {
    for (const each of lanes) for (const processor of all) await catchUp(db, { processor, lane: each, holder });
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

interface Turn {
  readonly processor: Processor;
  readonly lane: number;
  readonly holder: string;
}

/**
 * A turn of the worker, but without waiting for open transactions, which it does for every database of the cluster.
 * Nothing else writes while the history is made, so the order is final at once.
 */
async function catchUp(db: Db, turn: Turn): Promise<void> {
  while (await db.transaction().execute((db) => takeTurn(db, turn)));
}

/** Whether there was something to do. */
async function takeTurn(db: Db, { processor, lane, holder }: Turn): Promise<boolean> {
  const position = await db
    .selectFrom('processor_position')
    .select(['xid', 'seq'])
    .where('processor', '=', processor.name)
    .where('lane', '=', lane)
    .where('holder', '=', holder)
    .forUpdate()
    .executeTakeFirst();
  if (!position) return false;
  const entries = await db
    .selectFrom('journal')
    .select(['org_id', 'xid', 'seq', 'id', 'recorded_at', 'type', 'subject_kind', 'subject_id', 'actor_name'])
    .where('lane', '=', lane)
    .where((row) => row(row.refTuple('xid', 'seq'), '>', row.tuple(position.xid, position.seq)))
    .orderBy('xid')
    .orderBy('seq')
    .limit(500)
    .execute();
  const last = entries.at(-1);
  if (!last) return false;
  await processor.apply(db, entries);
  await db
    .updateTable('processor_position')
    .set({ xid: last.xid, seq: last.seq })
    .where('processor', '=', processor.name)
    .where('lane', '=', lane)
    .execute();
  return true;
}
