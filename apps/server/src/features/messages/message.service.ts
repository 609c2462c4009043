import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import * as store from './message.store.ts';
import { addToLine, closeDue, type Draft, type Line, newLine, type Telling } from './message-line.ts';

export type { Telling } from './message-line.ts';

type FromEntries = Pick<Telling, 'entryIds' | 'source' | 'trigger'>;

/** So many messages are closed in one go, and so many lines are locked at most. */
const DUE_MOST = 200;

/**
 * In the caller's transaction. What comes from entries that the source was told of already is left out. Returns the ids of
 * the messages that are numbered now; the others wait for more of their kind.
 */
export async function tell(db: Db, org: string, tellings: readonly Telling[], now: Date): Promise<string[]> {
  const fresh = await leaveOutTold(db, org, tellings, now);
  if (fresh.length === 0) return [];
  const keys = new Map(fresh.map((telling) => [keyOf(telling), telling]));
  const lines = await openLines(db, org, await store.lockSequences(db, org, [...keys.values()].map(toKey)));
  await readPaces(db, org, fresh, lines);
  for (const telling of fresh) {
    const line = lines.get(keyOf(telling));
    if (line) addToLine(line, telling, now, newId);
  }
  return finish(db, org, lines, now);
}

/** Whether somebody was told of one of these entries before. */
export function wereTold(db: Db, org: string, entryIds: readonly string[]): Promise<boolean> {
  return store.hasEntries(db, org, entryIds);
}

/** In the caller's transaction: what was found not to be worth telling is not told when it is looked at again, either. */
export async function passOver(db: Db, org: string, passed: readonly FromEntries[], now: Date): Promise<void> {
  const entries = entriesOf(passed);
  if (entries.length > 0) await store.insertEntries(db, org, entries, now);
}

/** Numbers open messages whose time has come, and makes their deliveries. Any number of workers may do so at once. */
export async function closeDueMessages(db: Db, now: Date): Promise<number> {
  const due = await store.listDue(db, now, DUE_MOST);
  const failures: unknown[] = [];
  let closed = 0;
  for (const [org, keys] of Map.groupBy(due, ({ org_id }) => org_id)) {
    try {
      closed += await closeInOrg(db, org, keys, now);
    } catch (error) {
      failures.push(error);
    }
  }
  // What cannot be closed in one org keeps nobody else waiting.
  if (failures.length > 0) throw failures[0];
  return closed;
}

function closeInOrg(db: Db, org: string, keys: readonly store.LineKey[], now: Date): Promise<number> {
  return db.transaction().execute(async (db) => {
    const lines = await openLines(db, org, await store.lockFreeSequences(db, org, keys));
    return (await finish(db, org, lines, now)).length;
  });
}

async function leaveOutTold(db: Db, org: string, tellings: readonly Telling[], now: Date): Promise<Telling[]> {
  const entries = entriesOf(tellings);
  if (entries.length === 0) return [...tellings];
  const rows = await store.insertEntries(db, org, entries, now);
  const told = new Set(rows.map((row) => `${row.entry_id} ${row.source_id} ${row.trigger}`));
  const isTold = ({ entryIds, source, trigger }: Telling) =>
    entryIds.length > 0 && entryIds.every((id) => told.has(`${id} ${source.id} ${trigger}`));
  return told.size === 0 ? [...tellings] : tellings.filter((telling) => !isTold(telling));
}

/** Many sources are told of the same: the very list of entries is the same then. */
function entriesOf(tellings: readonly FromEntries[]): store.ToldTogether[] {
  const byEntries = Map.groupBy(tellings, ({ entryIds }) => entryIds);
  return Array.from(byEntries, ([entries, some]) =>
    entries.length === 0
      ? []
      : Array.from(
          Map.groupBy(some, ({ trigger }) => trigger),
          ([trigger, of]) => ({ trigger, entries, sources: of.map(({ source }) => source.id) }),
        ),
  ).flat();
}

type Lines = Map<string, Line>;

/** Of lines that are locked: nobody else adds to them meanwhile. */
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
      sequence: null,
    });
  }
  return lines;
}

async function readPaces(db: Db, org: string, tellings: readonly Telling[], lines: Lines): Promise<void> {
  const paced = new Map(
    tellings.flatMap((telling) =>
      telling.groups
        ? [[`${keyOf(telling)} ${telling.trigger}`, { ...toKey(telling), trigger: telling.trigger }] as const]
        : [],
    ),
  );
  if (paced.size === 0) return;
  for (const row of await store.listPaces(db, org, [...paced.values()])) {
    lines.get(lineOf(row))?.numberedAt.set(row.trigger, row.numbered_at);
  }
}

/** Writes what has become of the lines. */
async function finish(db: Db, org: string, lines: Lines, now: Date): Promise<string[]> {
  for (const line of lines.values()) closeDue(line, now);
  const numbered = [...lines.values()].flatMap((line) => line.numbered);
  const joined = [...lines.values()].flatMap((line) => [...line.joined]);
  if (numbered.length + joined.length > 0) await store.upsertMessages(db, org, [...numbered, ...joined], now);
  if (numbered.length === 0) return [];
  const moved = Array.from(lines, ([key, { last }]) => {
    const [source_id = '', scope_id = ''] = key.split(' ');
    return { source_id, scope_id, last };
  });
  await store.updateSequences(db, org, moved);
  await deliver(db, org, numbered, now);
  return numbered.map(({ id }) => id);
}

async function deliver(db: Db, org: string, numbered: readonly Draft[], now: Date): Promise<void> {
  const derivedFor = new Map(numbered.flatMap(({ recipients, source }) => (recipients ? [[source.id, source]] : [])));
  for (const source of derivedFor.values()) {
    await store.ensureDerived(db, org, newId(), source, now);
    await store.reviveDerived(db, org, source);
  }
  const receivers = await store.lockReceivers(db, org, [...new Set(numbered.map(({ source }) => source.id))]);
  const ofSource = Map.groupBy(receivers, ({ source_id }) => source_id);
  const deliveries = numbered.flatMap((draft) =>
    (ofSource.get(draft.source.id) ?? []).flatMap((receiver) =>
      addressesFor(draft, receiver).map((address) => ({
        id: newId(),
        targetId: receiver.id,
        messageId: draft.id,
        address,
      })),
    ),
  );
  if (deliveries.length === 0) return;
  const used = new Set(await store.upsertDue(db, org, [...new Set(deliveries.map(({ targetId }) => targetId))], now));
  await store.insertDeliveries(
    db,
    org,
    deliveries.filter(({ targetId }) => used.has(targetId)),
    now,
  );
}

/** Each address gets a delivery of its own; null stands for a target that has none. */
function addressesFor(draft: Draft, receiver: store.Receiver): (string | null)[] {
  if (receiver.derived !== (draft.recipients !== undefined)) return [];
  if (receiver.config_type !== draft.source.configType) return [];
  if (receiver.kind !== 'EMAIL') return [null];
  const refused = new Set(receiver.refused);
  return [...new Set(draft.recipients ?? receiver.emails)].filter((address) => !refused.has(address));
}

function toKey({ source, scopeId }: Telling): store.LineKey {
  return { source_id: source.id, scope_id: scopeId };
}

function keyOf(telling: Telling): string {
  return lineOf(toKey(telling));
}

function lineOf({ source_id, scope_id }: store.LineKey): string {
  return `${source_id} ${scope_id}`;
}
