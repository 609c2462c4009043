import type { Entry, Processor } from '../../../platform/journal/processor.ts';
import { epochSeconds, systemClock } from '../../../platform/time.ts';
import { eraseReasons } from '../queue/erased-evidence.store.ts';
import { enqueueForOrgs, markSkipped } from '../queue/message.service.ts';
import { type Heard, readListeners } from './notification-listener.reads.ts';
import { type Listened, type Planned, planMessages } from './plan-messages.ts';
import type { EventSource } from './triggered-event.ts';
import { environmentSources } from './triggers-of-environments.ts';
import { flowSources } from './triggers-of-flows.ts';

const sources = new Map<string, EventSource>(Object.entries({ ...environmentSources, ...flowSources }));

/** Plans messages for notifications that listen to journal entries; `wake` starts their deliveries without delay. */
export function notificationProcessor(wake: () => void, now: () => Date = systemClock): Processor {
  return {
    // Its position in the journal is stored under this name.
    name: 'notifications',
    begins: 'at the first entry',
    async apply(db, entries) {
      await eraseReasons(
        db,
        entries.filter(({ type }) => type === 'attestation.erased'),
      );
      const concerned = entries.filter(({ type }) => sources.has(type));
      if (concerned.length === 0) return;
      const heardBy = await readListeners(db, concerned);
      const listened = concerned.flatMap((entry) => listenedTo(entry, heardBy(entry)));
      const planned: [string, Planned][] = [];
      for (const [org, some] of Map.groupBy(listened, ({ entry }) => entry.org_id)) {
        planned.push([org, await planMessages(db, org, some)]);
      }
      // From here on everybody takes locks in the same order, and for a short time.
      planned.sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [org, { skipped }] of planned) await markSkipped(db, org, skipped, now());
      await enqueueForOrgs(
        db,
        planned.map(([org, { messages }]) => ({ org, messages })),
        now(),
      );
    },
    committed(entries) {
      if (entries.some(({ type }) => sources.has(type))) wake();
    },
  };
}

/** Leaves out entries from before a notification was created, and from after its logical environment was archived. */
function listenedTo(entry: Entry, heard: Heard | undefined): Listened[] {
  const source = sources.get(entry.type);
  if (!source || !heard) return [];
  const at = epochSeconds(entry.recorded_at);
  const inTime = heard.listeners.filter(({ since, until }) => since <= at && (until === null || at < until));
  if (!inTime.some(({ triggers }) => source.triggers.some((trigger) => triggers.includes(trigger)))) return [];
  const isAll = inTime.length === heard.listeners.length;
  const groupKey = isAll ? heard.scopeId : `${heard.scopeId} ${inTime.map(({ id }) => id).join(' ')}`;
  return [{ entry, source, scopeId: heard.scopeId, listeners: inTime, groupKey }];
}
