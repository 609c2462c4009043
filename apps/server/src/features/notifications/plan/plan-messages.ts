import { joinContents, type MessageContent, type MessageTrigger } from '@waymark/messages';
import type { Db } from '../../../platform/db/db.ts';
import type { Entry } from '../../../platform/journal/processor.ts';
import { type PlannedMessage, wereSeen } from '../queue/message.service.ts';
import { readPayloads } from './entry-payload.reads.ts';
import type { Listener } from './notification-listener.reads.ts';
import type { EventSource, TriggeredEvent } from './triggered-event.ts';
import { readFacts } from './triggered-event-facts.reads.ts';

/** An entry that notifications listen to. */
export interface Listened {
  readonly entry: Entry;
  readonly source: EventSource;
  readonly scopeId: string;
  readonly listeners: readonly Listener[];
  /** The same for entries of one scope with the same listeners, whose events may share messages. */
  readonly groupKey: string;
}

export interface Planned {
  readonly messages: readonly PlannedMessage[];
  /** Events that cause no message. */
  readonly skipped: readonly Omit<PlannedMessage, 'content'>[];
}

/** Payloads in memory at a time: each may be a quarter of a megabyte. */
const BATCH_SIZE = 100;

export async function planMessages(db: Db, org: string, listened: readonly Listened[]): Promise<Planned> {
  const found: { event: TriggeredEvent; by: Listened }[] = [];
  for (let at = 0; at < listened.length; at += BATCH_SIZE) {
    const some = listened.slice(at, at + BATCH_SIZE);
    const payloads = await readPayloads(
      db,
      org,
      some.map(({ entry }) => entry),
    );
    for (const by of some) {
      for (const event of eventsOf(by, payloads.get(by.entry.id))) found.push({ event, by });
    }
  }
  const needs = found.map(({ event }) => event.needs);
  const facts = await readFacts(db, org, needs);
  const planned = found.map(({ event, by }, i) => toPlanned(event, by, facts[i] && event.contentOf(facts[i])));
  // When some were seen before, none are joined, so that no event counts twice.
  const isNew = !(await wereSeen(db, org, [...new Set(planned.flatMap(({ entryIds }) => entryIds))]));
  const grouped = isNew ? group(planned) : planned;
  return {
    messages: grouped.flatMap(({ content, ...one }) =>
      content ? forEachListener(one).map((message) => ({ ...message, content })) : [],
    ),
    skipped: grouped.flatMap(({ content, ...one }) => (content ? [] : forEachListener(one))),
  };
}

function eventsOf({ entry, source, listeners }: Listened, payload: string | undefined): TriggeredEvent[] {
  if (payload === undefined) return [];
  const events = source.events(JSON.parse(payload) as never, entry);
  return events.filter(({ trigger }) => listeners.some(({ triggers }) => triggers.includes(trigger)));
}

/** One or several events for the same listeners. */
interface PlannedEvents {
  readonly trigger: MessageTrigger;
  readonly groups: boolean;
  readonly scopeId: string;
  readonly listeners: readonly Listener[];
  readonly groupKey: string;
  readonly at: Date;
  readonly entryIds: string[];
  count: number;
  content: MessageContent | undefined;
}

function toPlanned(
  { trigger, groups, count }: TriggeredEvent,
  { entry, scopeId, listeners, groupKey }: Listened,
  content: MessageContent | undefined,
): PlannedEvents {
  const at = entry.recorded_at;
  return { trigger, groups, scopeId, listeners, groupKey, at, entryIds: [entry.id], count, content };
}

/**
 * Joins events that share a message before copying it for each of many listeners. The message takes the place of its
 * last event.
 */
function group(planned: readonly PlannedEvents[]): PlannedEvents[] {
  const open = new Map<string, Map<MessageTrigger, PlannedEvents>>();
  const result = new Set<PlannedEvents>();
  for (const one of planned) {
    const ofGroup = open.get(one.groupKey) ?? new Map<MessageTrigger, PlannedEvents>();
    open.set(one.groupKey, ofGroup);
    const before = ofGroup.get(one.trigger);
    if (one.groups && before?.content && one.content) {
      before.count += one.count;
      before.content = joinContents(before.content, one.content);
      before.entryIds.push(...one.entryIds);
      result.delete(before);
      result.add(before);
      continue;
    }
    // Nothing is joined across a state change.
    if (one.groups) ofGroup.set(one.trigger, one);
    else ofGroup.clear();
    result.add(one);
  }
  return [...result];
}

function forEachListener({ trigger, groups, scopeId, listeners, at, entryIds, count }: Omit<PlannedEvents, 'content'>) {
  const entriesKey = entryIds.join(' ');
  return listeners.flatMap(({ id, triggers }) =>
    triggers.includes(trigger)
      ? [{ source: { id, configType: null }, scopeId, trigger, count, at, entryIds, entriesKey, groups }]
      : [],
  );
}
