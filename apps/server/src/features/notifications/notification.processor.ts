import type { Entry, Processor } from '../../platform/journal/processor.ts';
import { epochSeconds, systemClock } from '../../platform/time.ts';
import { passOver, tellOrgs } from '../messages/message.service.ts';
import type { Source } from './happening.ts';
import { type Heard, readListeners } from './notification-listener.reads.ts';
import { type Listened, type Planned, planTellings } from './plan-tellings.ts';
import { environmentSources } from './triggers-of-environments.ts';
import { flowSources } from './triggers-of-flows.ts';

const sources = new Map<string, Source>(Object.entries({ ...environmentSources, ...flowSources }));

/**
 * Tells those who listen what was recorded. What is told goes out with the transaction, by a queue of its own; `wake` has it
 * looked at without delay.
 */
export function notificationProcessor(wake: () => void, now: () => Date = systemClock): Processor {
  return {
    // Its position is kept under this name.
    name: 'notifications',
    async apply(db, entries) {
      const concerned = entries.filter(({ type }) => sources.has(type));
      if (concerned.length === 0) return;
      const heardBy = await readListeners(db, concerned);
      const listened = concerned.flatMap((entry) => listenedTo(entry, heardBy(entry)));
      const planned: [string, Planned][] = [];
      for (const [org, some] of Map.groupBy(listened, ({ entry }) => entry.org_id)) {
        planned.push([org, await planTellings(db, org, some)]);
      }
      // What is locked from here on is locked by everybody in one order, and for a short time.
      planned.sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [org, { passed }] of planned) await passOver(db, org, passed, now());
      await tellOrgs(
        db,
        planned.map(([org, { tellings }]) => ({ org, tellings })),
        now(),
      );
    },
    committed(entries) {
      if (entries.some(({ type }) => sources.has(type))) wake();
    },
  };
}

/** Nothing from before a notification was made is told, nor from after a logical environment was archived. */
function listenedTo(entry: Entry, heard: Heard | undefined): Listened[] {
  const source = sources.get(entry.type);
  if (!source || !heard) return [];
  const at = epochSeconds(entry.recorded_at);
  const inTime = heard.listeners.filter(({ since, until }) => since <= at && (until === null || at < until));
  if (!inTime.some(({ triggers }) => source.triggers.some((trigger) => triggers.includes(trigger)))) return [];
  // Entries with the same listeners share the very list, by which it is seen that they may share messages.
  const listeners = inTime.length === heard.listeners.length ? heard.listeners : inTime;
  return [{ entry, source, scopeId: heard.scopeId, listeners }];
}
