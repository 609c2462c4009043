import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../run/counted.ts';
import { attach, readEntryFile, Unreadable, writeEntryFile } from './entry-file.ts';
import { type EntryName, headDigest, lineDigest, nameOf, parseName, sorted } from './entry-name.ts';
import { nothingPushed, type PushOptions, type PushResult, pushLines, type Shelf } from './push.ts';
import { type Holder, isLock, type PushLock, takePushLock } from './push-lock.ts';
import { checkPrivate, type Places, placesIn, prepare, syncDirectory } from './spool-directory.ts';
import { inSpool, SpoolError, SpoolFull, unlessGone } from './spool-error.ts';
import type { Damaged, Refused, Send, Spooled, ToSpool } from './spooled.ts';
import { countTry, forgetTries, isTries, triesOf } from './tries.ts';

export interface SpoolBounds {
  readonly maxBytes: number;
  readonly maxEntries: number;
}

const BOUNDS: SpoolBounds = { maxBytes: 1024 ** 3, maxEntries: 100_000 };

/** A partial file that has not changed for so long is abandoned. */
const UNFINISHED_MS = 600_000;

const LOCK_POLL_MS = 50;

export interface SpoolList {
  /** In the order of append. */
  readonly entries: readonly Spooled[];
  readonly refused: readonly Refused[];
  readonly damaged: readonly Damaged[];
}

export interface Spool {
  /** Stores an entry durably: once this returns, a power cut does not lose it. */
  append(entry: ToSpool): Promise<Spooled>;
  list(): Promise<SpoolList>;
  /** Whether entries of the line wait: a request sent before them would be out of order. */
  waits(line: string): Promise<boolean>;
  /** Sends waiting entries, one process at a time. */
  push(send: Send, options?: PushOptions): Promise<PushResult>;
  /** Removes waiting reports that are older than the given time, as the server has a newer one. Returns the count. */
  supersede(line: string, until: Date): Promise<number>;
  /** Queues a refused entry again, behind all others. False when there is no such entry. */
  retry(id: string): Promise<boolean>;
  /** Removes an entry by its id, or a damaged file by its name. False when there is none. */
  drop(id: string): Promise<boolean>;
}

/** A directory in which requests wait for their server. Created with the first entry. */
export function openSpool(directory: string, bounds: SpoolBounds = BOUNDS): Spool {
  const places = placesIn(directory);
  const guarded = <T>(what: string, work: () => Promise<T>) => inSpool(what, directory, work);
  const unreadable = 'The spool cannot be read';
  return {
    append: (entry) => guarded('The request was not spooled', () => append(places, bounds, entry)),
    list: () => guarded(unreadable, () => list(places)),
    waits: (line) => guarded(unreadable, () => waits(places, line)),
    push: (send, options = {}) => guarded('The spool was not pushed', () => push(places, send, options)),
    supersede: (line, until) => guarded('The spool was not changed', () => supersede(places, line, until)),
    retry: (id) => guarded('The spool was not changed', () => retry(places, id)),
    drop: (id) => guarded('The spool was not changed', () => drop(places, id)),
  };
}

async function append(places: Places, bounds: SpoolBounds, given: ToSpool): Promise<Spooled> {
  if (/\/\/[^/]*@/.test(given.host)) {
    throw new SpoolError('The request was not spooled', {
      why: 'The host URL contains a user name or a password, and the spool does not store secrets',
      fix: 'Remove it from the URL',
    });
  }
  await prepare(places);
  const attached = given.file && (await attach(given.file.name, given.file.content));
  const entry: Spooled = {
    id: given.id ?? randomUUID(),
    operation: given.operation,
    params: given.params,
    ...(given.query && { query: given.query }),
    body: given.body,
    ...(attached && { file: attached.file }),
    claimedAt: given.claimedAt.toISOString(),
    line: given.line,
    host: given.host,
    org: given.org,
    ...(given.latestOnly && { latestOnly: true }),
  };
  const head = JSON.stringify(entry);
  const waiting = await namesIn(places.waiting);
  const name: Omit<EntryName, 'file'> = {
    number: nextNumber(waiting),
    latestOnly: given.latestOnly ?? false,
    line: lineDigest(given.line),
    bytes: Buffer.byteLength(head) + 1 + (attached?.file.size ?? 0),
    digest: headDigest(head),
  };
  checkRoom(places, bounds, [...waiting, ...(await namesIn(places.refused))], name.bytes);
  const partial = join(places.partial, `${process.pid}-${entry.id}-${randomUUID()}`);
  try {
    await writeEntryFile(partial, head, attached);
    await rename(partial, join(places.waiting, nameOf(name)));
  } catch (error) {
    await unlessGone(unlink(partial));
    throw error;
  }
  await syncDirectory(places.waiting);
  if (name.latestOnly) await removeReports(places, waiting, name.line, given.claimedAt);
  return entry;
}

function nextNumber(waiting: readonly EntryName[]): number {
  return waiting.reduce((highest, { number }) => Math.max(highest, number), 0) + 1;
}

function checkRoom(places: Places, bounds: SpoolBounds, entries: readonly EntryName[], bytes: number): void {
  const used = entries.reduce((sum, name) => sum + name.bytes, 0);
  if (entries.length < bounds.maxEntries && used + bytes <= bounds.maxBytes) return;
  throw new SpoolFull('The request was not spooled: the spool is full', {
    why: `${places.root} has ${counted(entries.length, 'entry', 'entries')} with ${used} bytes; the limits are ${bounds.maxEntries} and ${bounds.maxBytes}`,
    fix: "Send them with 'waymark spool push', or drop refused entries ('waymark spool status')",
  });
}

async function list(places: Places): Promise<SpoolList> {
  if (!(await isThere(places))) return { entries: [], refused: [], damaged: [] };
  const waiting = await readAll(places.waiting);
  const refused = await readAll(places.refused);
  const reasons = await Promise.all(refused.found.map(({ name }) => readReason(places, name)));
  return {
    entries: waiting.found.map(({ entry }) => entry),
    refused: refused.found.map(({ entry }, index) => ({ entry, ...(reasons[index] ?? { reason: 'unknown', at: '' }) })),
    damaged: [...waiting.damaged, ...refused.damaged, ...(await unfinished(places))],
  };
}

interface Found {
  readonly name: EntryName;
  readonly entry: Spooled;
}

async function readAll(folder: string): Promise<{ found: Found[]; damaged: Damaged[] }> {
  const found: Found[] = [];
  const damaged: Damaged[] = [];
  for (const file of (await filesIn(folder)).sort()) {
    const name = parseName(file);
    if (file.endsWith('.reason') || isTries(file)) continue;
    const entry = name ? await readEntry(folder, name) : 'its name is not a valid entry name';
    if (typeof entry === 'string') damaged.push({ file, why: entry });
    else if (name && entry) found.push({ name, entry });
  }
  return { found, damaged };
}

/** Returns the entry, the reason why it is unreadable, or undefined when it is gone. */
async function readEntry(folder: string, name: EntryName): Promise<Spooled | string | undefined> {
  try {
    return (await unlessGone(readEntryFile(join(folder, name.file), name)))?.entry;
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

/** Partial files of killed processes. They were never acknowledged. */
async function unfinished({ partial }: Places): Promise<Damaged[]> {
  const damaged: Damaged[] = [];
  for (const file of await filesIn(partial)) {
    const about = await unlessGone(stat(join(partial, file)));
    if (!about || Date.now() - about.mtimeMs < UNFINISHED_MS) continue;
    damaged.push({ file, why: 'its writer stopped before it was complete' });
  }
  return damaged;
}

async function push(places: Places, send: Send, options: PushOptions): Promise<PushResult> {
  const { line } = options;
  const find = () => (line === undefined ? namesIn(places.waiting) : namesOfLine(places, line));
  if (!(await isThere(places)) || (await find()).length === 0) return nothingPushed;
  const lock = await waitForLock(places, options);
  if (!isLock(lock)) return { ...nothingPushed, waiting: (await find()).length, busy: lock };
  try {
    return await pushLines(shelfOf(places), sorted(await find()), { send, lock, options });
  } finally {
    await lock.release();
  }
}

async function waitForLock({ root }: Places, { waitMs = 0, signal }: PushOptions): Promise<PushLock | Holder> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const taken = await takePushLock(root);
    if (isLock(taken) || performance.now() >= deadline || signal?.aborted) return taken;
    await sleep(LOCK_POLL_MS);
  }
}

function shelfOf(places: Places): Shelf {
  return {
    folder: places.waiting,
    async remove({ file }) {
      await forgetTries(join(places.waiting, file));
      await unlessGone(unlink(join(places.waiting, file)));
      await syncDirectory(places.waiting);
    },
    async setAside({ file }, entry, reason) {
      const refused = { reason, at: new Date().toISOString() };
      await writeFile(reasonPath(places, file), JSON.stringify(refused), { mode: 0o600, flush: true });
      await forgetTries(join(places.waiting, file));
      await unlessGone(rename(join(places.waiting, file), join(places.refused, file)));
      await syncDirectory(places.refused);
      await syncDirectory(places.waiting);
      return { entry, ...refused };
    },
    countTry: ({ file }) => countTry(join(places.waiting, file), new Date()),
  };
}

function reasonPath({ refused }: Places, file: string): string {
  return join(refused, `${file}.reason`);
}

async function readReason(places: Places, { file }: EntryName): Promise<{ reason: string; at: string } | undefined> {
  try {
    return JSON.parse(await readFile(reasonPath(places, file), 'utf8')) as { reason: string; at: string };
  } catch {
    return undefined;
  }
}

async function supersede(places: Places, line: string, until: Date): Promise<number> {
  return removeReports(places, await namesIn(places.waiting), lineDigest(line), until);
}

/** Another process may have spooled a newer one meanwhile. That one stays. */
async function removeReports(
  { waiting }: Places,
  names: readonly EntryName[],
  line: string,
  until: Date,
): Promise<number> {
  let removed = 0;
  for (const name of names.filter((name) => name.latestOnly && name.line === line)) {
    const entry = await readEntry(waiting, name);
    if (entry === undefined || typeof entry === 'string' || Date.parse(entry.claimedAt) > until.getTime()) continue;
    await forgetTries(join(waiting, name.file));
    await unlessGone(unlink(join(waiting, name.file)));
    removed += 1;
  }
  if (removed > 0) await syncDirectory(waiting);
  return removed;
}

async function retry(places: Places, id: string): Promise<boolean> {
  if (!(await isThere(places))) return false;
  const { found } = await readAll(places.refused);
  const refused = found.find(({ entry }) => entry.id === id);
  if (!refused) return false;
  const { file, ...name } = refused.name;
  const again = nameOf({ ...name, number: nextNumber(await namesIn(places.waiting)) });
  await rename(join(places.refused, file), join(places.waiting, again));
  await syncDirectory(places.waiting);
  await unlessGone(unlink(reasonPath(places, file)));
  return true;
}

async function drop(places: Places, id: string): Promise<boolean> {
  if (!(await isThere(places))) return false;
  const dropped = [
    await dropFrom(places.waiting, id),
    await dropFrom(places.refused, id),
    await dropFrom(places.partial, id),
  ];
  return dropped.includes(true);
}

async function dropFrom(folder: string, id: string): Promise<boolean> {
  const { found, damaged } = await readAll(folder);
  const files = [
    ...found
      .filter(({ entry }) => entry.id === id)
      .flatMap(({ name: { file } }) => [triesOf(file), file, `${file}.reason`]),
    ...damaged.filter(({ file }) => file === id).map(({ file }) => file),
  ];
  for (const file of files) await unlessGone(unlink(join(folder, file)));
  if (files.length > 0) await syncDirectory(folder);
  return files.length > 0;
}

async function isThere({ root }: Places): Promise<boolean> {
  if ((await unlessGone(stat(root))) === undefined) return false;
  await checkPrivate(root);
  return true;
}

async function waits(places: Places, line: string): Promise<boolean> {
  return (await isThere(places)) && (await namesOfLine(places, line)).length > 0;
}

async function namesOfLine(places: Places, line: string): Promise<EntryName[]> {
  const digest = lineDigest(line);
  return (await namesIn(places.waiting)).filter((name) => name.line === digest);
}

async function namesIn(folder: string): Promise<EntryName[]> {
  return (await filesIn(folder)).flatMap((file) => parseName(file) ?? []);
}

async function filesIn(folder: string): Promise<string[]> {
  return (await unlessGone(readdir(folder))) ?? [];
}
