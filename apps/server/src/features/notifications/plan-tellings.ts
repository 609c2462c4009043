import { joinContents, type MessageContent, type MessageTrigger } from '@waymark/messages';
import type { Db } from '../../platform/db/db.ts';
import type { Entry } from '../../platform/journal/processor.ts';
import { type Telling, wereTold } from '../messages/message.service.ts';
import { readPayloads } from './entry-payload.reads.ts';
import type { Happening, Source } from './happening.ts';
import { readFacts } from './happening-facts.reads.ts';
import type { Listener } from './notification-listener.reads.ts';

/** An entry that somebody wants to hear of. */
export interface Listened {
  readonly entry: Entry;
  readonly source: Source;
  readonly scopeId: string;
  readonly listeners: readonly Listener[];
}

/** Who is to be told what. */
export interface Planned {
  readonly tellings: readonly Telling[];
  /** What nobody is to be told of, as it turned out. */
  readonly passed: readonly Omit<Telling, 'content'>[];
}

/** Payloads in memory at a time: each may have a quarter of a megabyte. */
const TOGETHER = 100;

export async function planTellings(db: Db, org: string, listened: readonly Listened[]): Promise<Planned> {
  const found: { happening: Happening; by: Listened }[] = [];
  for (let at = 0; at < listened.length; at += TOGETHER) {
    const some = listened.slice(at, at + TOGETHER);
    const payloads = await readPayloads(
      db,
      org,
      some.map(({ entry }) => entry),
    );
    for (const by of some) {
      for (const happening of happeningsOf(by, payloads.get(by.entry.id))) found.push({ happening, by });
    }
  }
  const wants = found.map(({ happening }) => happening.wants);
  const facts = await readFacts(db, org, wants);
  const told = found.map(({ happening, by }, i) => toTold(happening, by, facts[i] && happening.contentOf(facts[i])));
  // Where some were told before, each is looked at by itself, so that nothing of the others counts twice.
  const isNew = !(await wereTold(db, org, [...new Set(told.flatMap(({ entryIds }) => entryIds))]));
  const planned = isNew ? joined(told) : told;
  return {
    tellings: planned.flatMap(({ content, ...one }) =>
      content ? toWhom(one).map((telling) => ({ ...telling, content })) : [],
    ),
    passed: planned.flatMap(({ content, ...one }) => (content ? [] : toWhom(one))),
  };
}

function happeningsOf({ entry, source, listeners }: Listened, payload: string | undefined): Happening[] {
  if (payload === undefined) return [];
  const happenings = source.happenings(JSON.parse(payload) as never, entry);
  return happenings.filter(({ trigger }) => listeners.some(({ triggers }) => triggers.includes(trigger)));
}

/** One or several happenings for the same listeners. */
interface Told {
  readonly trigger: MessageTrigger;
  readonly groups: boolean;
  readonly scopeId: string;
  readonly listeners: readonly Listener[];
  readonly at: Date;
  readonly entryIds: string[];
  count: number;
  content: MessageContent | undefined;
}

function toTold(
  { trigger, groups, count }: Happening,
  { entry, scopeId, listeners }: Listened,
  content: MessageContent | undefined,
): Told {
  return { trigger, groups, scopeId, listeners, at: entry.recorded_at, entryIds: [entry.id], count, content };
}

/**
 * What is going to share a message, in one already: with many listeners that is much less to do. It stands where the last
 * of it was recorded.
 */
function joined(told: readonly Told[]): Told[] {
  const open = new Map<readonly Listener[], Map<MessageTrigger, Told>>();
  const result = new Set<Told>();
  for (const one of told) {
    const ofScope = open.get(one.listeners) ?? new Map<MessageTrigger, Told>();
    open.set(one.listeners, ofScope);
    const before = ofScope.get(one.trigger);
    if (one.groups && before?.content && one.content) {
      before.count += one.count;
      before.content = joinContents(before.content, one.content);
      before.entryIds.push(...one.entryIds);
      result.delete(before);
      result.add(before);
      continue;
    }
    // Nothing is joined across a change of state.
    if (one.groups) ofScope.set(one.trigger, one);
    else ofScope.clear();
    result.add(one);
  }
  return [...result];
}

function toWhom({ trigger, groups, scopeId, listeners, at, entryIds, count }: Omit<Told, 'content'>) {
  return listeners.flatMap(({ id, triggers }) =>
    triggers.includes(trigger)
      ? [{ source: { id, configType: null }, scopeId, trigger, count, at, entryIds, groups }]
      : [],
  );
}
