import { join } from 'node:path';
import { readContent, readEntryFile, Unreadable } from './entry-file.ts';
import type { EntryName } from './entry-name.ts';
import type { Holder, PushLock } from './push-lock.ts';
import { codeOf } from './spool-error.ts';
import type { Damaged, Refused, Send, Sent, Spooled } from './spooled.ts';
import { isHopeless, type Tries } from './tries.ts';

export interface PushOptions {
  readonly signal?: AbortSignal;
  /** What the current credential may send: entries of one host and one org. All others wait. */
  readonly only?: (entry: Spooled) => boolean;
  /** This line only. */
  readonly line?: string;
  /** Concurrent lines; 4 by default. */
  readonly parallel?: number;
  /** How long to wait while another process pushes; not at all by default. */
  readonly waitMs?: number;
  readonly onSent?: (entry: Spooled, sent: Sent) => void;
}

export interface PushResult {
  readonly recorded: number;
  /** Outdated reports of what runs: dropped, not sent. */
  readonly superseded: number;
  /** By this push. */
  readonly refused: readonly Refused[];
  readonly waiting: number;
  /** For another host or org. */
  readonly elsewhere: number;
  /** Why entries wait, each reason once. */
  readonly reasons: readonly string[];
  readonly damaged: readonly Damaged[];
  /** How the credential was refused, if it was. */
  readonly denied: unknown;
  /** The other process that pushes, if nothing was done for that reason. */
  readonly busy: Holder | null;
}

export const nothingPushed: PushResult = {
  recorded: 0,
  superseded: 0,
  refused: [],
  waiting: 0,
  elsewhere: 0,
  reasons: [],
  damaged: [],
  denied: null,
  busy: null,
};

/** The operations of a push on its spool. */
export interface Shelf {
  readonly folder: string;
  remove(name: EntryName): Promise<void>;
  setAside(name: EntryName, entry: Spooled, reason: string): Promise<Refused>;
  countTry(name: EntryName): Promise<Tries>;
}

const PARALLEL = 4;
/** After so many failures in a row a host counts as down, and its other lines are not tried. */
const PATIENCE = 4;

interface Run {
  readonly shelf: Shelf;
  readonly send: Send;
  readonly lock: PushLock;
  readonly options: PushOptions;
  readonly hosts: Map<string, number>;
  readonly tally: { recorded: number; superseded: number; waiting: number; elsewhere: number };
  readonly refused: Refused[];
  readonly reasons: Set<string>;
  readonly damaged: Damaged[];
  denied: unknown;
  isOver: boolean;
}

/** Sends the named entries line by line: each line in order, several lines concurrently. */
export async function pushLines(
  shelf: Shelf,
  names: readonly EntryName[],
  { send, lock, options }: { send: Send; lock: PushLock; options: PushOptions },
): Promise<PushResult> {
  const tally = { recorded: 0, superseded: 0, waiting: 0, elsewhere: 0 };
  const run: Run = {
    ...{ shelf, send, lock, options, tally, denied: null, isOver: false },
    ...{ hosts: new Map(), refused: [], reasons: new Set(), damaged: [] },
  };
  const lines = [...Map.groupBy(names, (name) => name.line).values()];
  const workers = Array.from({ length: options.parallel ?? PARALLEL }, () => work(run, lines));
  // All lines must finish before the lock is released, even if one of them fails.
  for (const ended of await Promise.allSettled(workers)) if (ended.status === 'rejected') throw ended.reason;
  const { refused, damaged, denied } = run;
  return { ...tally, refused, reasons: [...run.reasons], damaged, denied, busy: null };
}

async function work(run: Run, lines: EntryName[][]): Promise<void> {
  try {
    for (let line = lines.shift(); line; line = lines.shift()) await pushLine(run, line);
  } catch (error) {
    run.isOver = true;
    throw error;
  }
}

async function pushLine(run: Run, line: readonly EntryName[]): Promise<void> {
  const latest = await latestReport(run, line);
  for (const [index, name] of line.entries()) {
    const goesOn = await pushEntry(run, name, name.latestOnly && name !== latest);
    if (goesOn) continue;
    run.tally.waiting += line.length - index;
    return;
  }
}

/** By creation time: one that failed slowly may have been spooled after a newer one. */
async function latestReport(run: Run, line: readonly EntryName[]): Promise<EntryName | undefined> {
  const reports = line.filter((name) => name.latestOnly);
  if (reports.length < 2) return reports[0];
  let latest: { name: EntryName; claimedAt: string } | undefined;
  for (const name of reports) {
    const found = await read(run, name);
    if (found === 'gone' || found instanceof Unreadable) continue;
    const { claimedAt } = found.entry;
    if (!latest || claimedAt >= latest.claimedAt) latest = { name, claimedAt };
  }
  return latest?.name;
}

/** Whether the line continues. */
async function pushEntry(run: Run, name: EntryName, isSuperseded: boolean): Promise<boolean> {
  const { shelf, options, tally, damaged } = run;
  if (options.signal?.aborted) run.isOver = true;
  if (run.isOver) return false;
  const found = await read(run, name);
  if (found instanceof Unreadable) damaged.push({ file: name.file, why: found.message });
  if (found === 'gone' || found instanceof Unreadable) return true;
  const { entry, content } = found;
  if (options.only && !options.only(entry)) {
    tally.elsewhere += 1;
    return true;
  }
  if (isSuperseded) {
    await shelf.remove(name);
    tally.superseded += 1;
    return true;
  }
  if ((run.hosts.get(siteOf(entry)) ?? 0) >= PATIENCE) return false;
  if (!(await run.lock.isHeld())) {
    run.reasons.add('another process took over');
    run.isOver = true;
    return false;
  }
  const sent = await run.send(entry, content);
  options.onSent?.(entry, sent);
  return settle(run, name, entry, sent);
}

async function settle(run: Run, name: EntryName, entry: Spooled, sent: Sent): Promise<boolean> {
  const { shelf, hosts, tally, reasons, refused } = run;
  const site = siteOf(entry);
  if (sent.kind === 'unavailable' || sent.kind === 'denied') {
    reasons.add(sent.reason);
    if (sent.kind === 'denied') run.denied ??= sent.cause;
    hosts.set(site, sent.kind === 'denied' ? PATIENCE : (hosts.get(site) ?? 0) + 1);
    return false;
  }
  if (sent.kind === 'unexpected') return settleUnexpected(run, name, entry, sent.reason);
  hosts.set(site, 0);
  if (sent.kind === 'refused') {
    refused.push(await shelf.setAside(name, entry, sent.reason));
  } else {
    await shelf.remove(name);
    tally[sent.kind] += 1;
  }
  return true;
}

/**
 * A proxy may be fixed tomorrow, so the entry waits; the cause may be this very request, so not forever. There was an
 * answer, so other lines are still tried.
 */
async function settleUnexpected(run: Run, name: EntryName, entry: Spooled, reason: string): Promise<boolean> {
  const counted = await run.shelf.countTry(name);
  if (!isHopeless(counted, new Date())) {
    run.reasons.add(reason);
    return false;
  }
  const { tries, since } = counted;
  run.refused.push(await run.shelf.setAside(name, entry, `${reason} (${tries} tries since ${since})`));
  return true;
}

function siteOf({ host, org }: Spooled): string {
  return `${host} ${org}`;
}

async function read(
  { shelf }: Run,
  name: EntryName,
): Promise<{ entry: Spooled; content: Blob | undefined } | Unreadable | 'gone'> {
  const path = join(shelf.folder, name.file);
  try {
    const file = await readEntryFile(path, name);
    return { entry: file.entry, content: await readContent(path, file) };
  } catch (error) {
    if (error instanceof Unreadable) return error;
    if (codeOf(error) === 'ENOENT') return 'gone';
    throw error;
  }
}
