import type { MessageContent } from '@waymark/messages';
import type { Db } from '../../../platform/db/db.ts';
import { isDeadlock, isTooLong, isUnavailable } from '../../../platform/db/failure.ts';
import { newId } from '../../../platform/ids.ts';
import * as store from './message.store.ts';
import { addToLine, closeDue, type Draft, type Line, newLine, type PlannedMessage } from './message-line.ts';

export type { PlannedMessage } from './message-line.ts';

type FromEntries = Pick<PlannedMessage, 'entryIds' | 'entriesKey' | 'source' | 'trigger'>;

/** Messages closed in one transaction, and therefore lines locked at most. */
const DUE_BATCH_SIZE = 200;

/** Messages written in one statement, and messages for which one statement inserts deliveries. */
const WRITE_BATCH_SIZE = 2_000;
const DELIVERY_BATCH_SIZE = 50;

/** A line that cannot be closed is postponed by this long. */
const SET_ASIDE_MS = 60_000;

/**
 * Runs in the caller's transaction. Leaves out messages from entries that the source has already seen. Returns the ids
 * of messages that are numbered now; the others wait for more of their trigger.
 */
export function enqueueMessages(
  db: Db,
  org: string,
  messages: readonly PlannedMessage[],
  now: Date,
): Promise<string[]> {
  return enqueueForOrgs(db, [{ org, messages }], now);
}

/** The same for several orgs, which every caller passes in the same order. */
export async function enqueueForOrgs(
  db: Db,
  planned: readonly { readonly org: string; readonly messages: readonly PlannedMessage[] }[],
  now: Date,
): Promise<string[]> {
  const numbered: { org: string; drafts: Draft[] }[] = [];
  for (const { org, messages } of planned) numbered.push({ org, drafts: await numberFresh(db, org, messages, now) });
  // From here on, workers that send to these targets, or requests that change them, wait for the end of the
  // transaction.
  for (const { org, drafts } of numbered) await deliver(db, org, drafts, now);
  return numbered.flatMap(({ drafts }) => drafts.map(({ id }) => id));
}

async function numberFresh(db: Db, org: string, messages: readonly PlannedMessage[], now: Date): Promise<Draft[]> {
  const fresh = await leaveOutSeen(db, org, messages, now);
  if (fresh.length === 0) return [];
  const keys = new Map(fresh.map((message) => [keyOf(message), message]));
  const lines = await openLines(db, org, await store.lockSequences(db, org, [...keys.values()].map(toKey)));
  await readPaces(db, org, fresh, lines);
  for (const message of fresh) {
    const line = lines.get(keyOf(message));
    if (line) addToLine(line, message, now, newId);
  }
  return finish(db, org, lines, now);
}

/** Whether any source has seen one of these entries. */
export function wereSeen(db: Db, org: string, entryIds: readonly string[]): Promise<boolean> {
  return store.hasEntries(db, org, entryIds);
}

/** Marks events that cause no message as seen, in the caller's transaction, so that they cause none later either. */
export async function markSkipped(db: Db, org: string, skipped: readonly FromEntries[], now: Date): Promise<void> {
  await markSeen(db, org, skipped, now);
}

/** Numbers due open messages, and inserts their deliveries. Any number of workers may do so at once. */
export async function closeDueMessages(db: Db, now: Date): Promise<number> {
  const failures: unknown[] = [];
  let closed = 0;
  let after: store.Due | undefined;
  do {
    const due = await store.listDue(db, now, DUE_BATCH_SIZE, after);
    for (const [org, keys] of Map.groupBy(due, ({ org_id }) => org_id)) {
      closed += await closeOrSetAside(db, org, keys, now, failures);
    }
    after = due.length === DUE_BATCH_SIZE ? due.at(-1) : undefined;
  } while (after);
  // A line that cannot be closed does not delay the others.
  if (failures.length > 0) throw failures[0];
  return closed;
}

/** Closes them together, or else each line by itself. */
async function closeOrSetAside(
  db: Db,
  org: string,
  keys: readonly store.LineKey[],
  now: Date,
  failures: unknown[],
): Promise<number> {
  try {
    return await closeInOrg(db, org, keys, now);
  } catch (error) {
    if (isOutage(error)) throw error;
  }
  let closed = 0;
  for (const key of new Map(keys.map((key) => [lineOf(key), key])).values()) {
    try {
      closed += await closeInOrg(db, org, [key], now);
    } catch (error) {
      if (isOutage(error)) throw error;
      failures.push(error);
      if (!isDeadlock(error)) await store.updateDue(db, org, key, now, new Date(now.getTime() + SET_ASIDE_MS));
    }
  }
  return closed;
}

/** Nothing else would work now, either. */
function isOutage(error: unknown): boolean {
  return isUnavailable(error) && !isTooLong(error) && !isDeadlock(error);
}

function closeInOrg(db: Db, org: string, keys: readonly store.LineKey[], now: Date): Promise<number> {
  return db.transaction().execute(async (db) => {
    const lines = await openLines(db, org, await store.lockFreeSequences(db, org, keys));
    const numbered = await finish(db, org, lines, now);
    await deliver(db, org, numbered, now);
    return numbered.length;
  });
}

async function leaveOutSeen(
  db: Db,
  org: string,
  messages: readonly PlannedMessage[],
  now: Date,
): Promise<PlannedMessage[]> {
  const seenBy = await markSeen(db, org, messages, now);
  if (seenBy.size === 0) return [...messages];
  const isSeen = ({ entryIds, source, trigger }: PlannedMessage) =>
    entryIds.length > 0 && entryIds.every((id) => seenBy.get(`${id} ${trigger}`)?.has(source.id));
  return messages.filter((message) => !isSeen(message));
}

/**
 * Marks entries as seen by the sources of these messages. Returns the sources that had seen them before, by entry and
 * trigger.
 */
async function markSeen(
  db: Db,
  org: string,
  messages: readonly FromEntries[],
  now: Date,
): Promise<Map<string, Set<string>>> {
  const entries = entriesOf(messages);
  const known = entries.some((some) => some.entries.length > 0) ? await store.insertEntries(db, org, entries, now) : [];
  if (known.length === 0) return new Map();
  const rows = await store.lockEntries(db, org, known);
  await store.updateEntries(db, org, entries);
  return new Map(rows.map((row) => [`${row.entry_id} ${row.trigger}`, new Set(row.sources)]));
}

/**
 * Many sources get messages from the same entries, which are then written once. Otherwise each entry has its own group.
 */
function entriesOf(messages: readonly FromEntries[]): store.SeenGroup[] {
  const byEntries = Map.groupBy(messages, ({ entriesKey }) => entriesKey);
  const groups = Array.from(byEntries.values(), (some) =>
    Array.from(
      Map.groupBy(some, ({ trigger }) => trigger),
      ([trigger, of]) => ({
        trigger,
        entries: some[0]?.entryIds ?? [],
        sources: [...new Set(of.map(({ source }) => source.id))],
      }),
    ),
  ).flat();
  const keys = groups.flatMap(({ entries, trigger }) => entries.map((entry) => `${entry} ${trigger}`));
  return new Set(keys).size === keys.length ? groups : oneByOne(groups);
}

function oneByOne(groups: readonly store.SeenGroup[]): store.SeenGroup[] {
  const each = groups.flatMap(({ entries, ...group }) => entries.map((entry) => ({ ...group, entry })));
  return Array.from(Map.groupBy(each, ({ entry, trigger }) => `${entry} ${trigger}`).values(), (same) => ({
    trigger: same[0]?.trigger ?? '',
    entries: [same[0]?.entry ?? ''],
    sources: [...new Set(same.flatMap(({ sources }) => sources))],
  }));
}

type Lines = Map<string, Line>;

/** Of locked lines: nobody else adds to them meanwhile. */
async function openLines(
  db: Db,
  org: string,
  locked: readonly (store.LineKey & { readonly last: number })[],
): Promise<Lines> {
  const lines = new Map(locked.map((row) => [lineOf(row), newLine(row.last)]));
  if (lines.size === 0) return lines;
  for (const row of await store.listOpen(db, org, locked)) {
    lines.get(lineOf(row))?.open.set(row.trigger, {
      id: row.id,
      source: { id: row.source_id, configType: row.config_type },
      scopeId: row.scope_id,
      trigger: row.trigger,
      createdAt: row.created_at,
      recipients: undefined,
      count: row.count,
      content: row.content,
      openUntil: row.open_until,
      openRank: row.open_rank,
      sequence: null,
    });
  }
  return lines;
}

async function readPaces(db: Db, org: string, messages: readonly PlannedMessage[], lines: Lines): Promise<void> {
  const paced = new Map(
    messages.flatMap((message) =>
      message.groups
        ? [[`${keyOf(message)} ${message.trigger}`, { ...toKey(message), trigger: message.trigger }] as const]
        : [],
    ),
  );
  if (paced.size === 0) return;
  for (const row of await store.listPaces(db, org, [...paced.values()])) {
    lines.get(lineOf(row))?.numberedAt.set(row.trigger, row.numbered_at);
  }
}

/** Writes the lines, and returns the messages to send. */
async function finish(db: Db, org: string, lines: Lines, now: Date): Promise<Draft[]> {
  for (const line of lines.values()) closeDue(line, now);
  const numbered = [...lines.values()].flatMap((line) => line.numbered);
  const joined = [...lines.values()].flatMap((line) => [...line.joined]);
  await write(db, org, [...numbered, ...joined], now);
  if (numbered.length === 0) return [];
  const moved = Array.from(lines, ([key, { last }]) => {
    const [source_id = '', scope_id = ''] = key.split(' ');
    return { source_id, scope_id, last };
  });
  await store.updateSequences(db, org, moved);
  return numbered;
}

async function write(db: Db, org: string, drafts: readonly Draft[], now: Date): Promise<void> {
  // Many sources get the same content.
  const texts = new Map<MessageContent, string>();
  const textOf = (content: MessageContent) => {
    const text = texts.get(content) ?? store.textOf(content);
    texts.set(content, text);
    return text;
  };
  for (let at = 0; at < drafts.length; at += WRITE_BATCH_SIZE) {
    await store.upsertMessages(db, org, drafts.slice(at, at + WRITE_BATCH_SIZE), textOf, now);
  }
}

async function deliver(db: Db, org: string, numbered: readonly Draft[], now: Date): Promise<void> {
  if (numbered.length === 0) return;
  const derivedFor = new Map(numbered.flatMap(({ recipients, source }) => (recipients ? [[source.id, source]] : [])));
  for (const source of derivedFor.values()) await store.ensureDerived(db, org, newId(), source, now);
  await store.lockStates(db, org, [...new Set(numbered.map(({ source }) => source.id))]);
  for (const source of derivedFor.values()) await store.reviveDerived(db, org, source);
  for (let at = 0; at < numbered.length; at += DELIVERY_BATCH_SIZE) {
    await store.insertDeliveries(db, org, numbered.slice(at, at + DELIVERY_BATCH_SIZE), now);
  }
}

function toKey({ source, scopeId }: PlannedMessage): store.LineKey {
  return { source_id: source.id, scope_id: scopeId };
}

function keyOf(message: PlannedMessage): string {
  return lineOf(toKey(message));
}

function lineOf({ source_id, scope_id }: store.LineKey): string {
  return `${source_id} ${scope_id}`;
}
