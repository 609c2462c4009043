import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, readdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf, unlessGone } from './spool-error.ts';

/** Identifies the pushing process, so that others can check whether it is alive. */
export interface Holder {
  readonly pid: number;
  /** The start time of the process, in system ticks; a later process may have the same pid. */
  readonly started: string | null;
  /** The scope of the pid: the boot and, in a container, its own pid namespace. */
  readonly machine: string;
  readonly since: string;
  readonly token: string;
}

export interface PushLock {
  /** False when another process took the lock over, as this one seemed dead. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

const BEAT_MS = 5_000;
/** A holder that can't be checked, in another container, is dead after so long without an update. */
const STALE_MS = 60_000;

const LOCK = /^push-(\d+)\.lock$/;

/**
 * Takes the lock, or returns its holder. Locks are numbered, and the highest counts. A dead lock is never removed to
 * make room: its successor takes the next number, which only one process can, and removes it afterwards. So nobody
 * removes a lock that was just taken.
 */
export async function takePushLock(directory: string): Promise<PushLock | Holder> {
  const holder = describeMyself();
  for (;;) {
    const highest = Math.max(0, ...(await numbersIn(directory)));
    const other = highest === 0 ? undefined : await livingHolder(pathOf(directory, highest));
    if (other) return other;
    const number = highest + 1;
    if (!(await claim(directory, number, holder))) continue;
    if (await isHighest(directory, number)) {
      await removeOld(directory, number);
      return heldLock(directory, number);
    }
    await unlessGone(unlink(pathOf(directory, number)));
  }
}

export function isLock(taken: PushLock | Holder): taken is PushLock {
  return 'release' in taken;
}

function heldLock(directory: string, number: number): PushLock {
  const path = pathOf(directory, number);
  // Taken over meanwhile: isHeld reports it.
  const beat = () => void utimes(path, new Date(), new Date()).catch(() => undefined);
  const beating = setInterval(beat, BEAT_MS).unref();
  return {
    isHeld: () => isHighest(directory, number),
    async release() {
      clearInterval(beating);
      await unlessGone(unlink(path));
    },
  };
}

async function claim(directory: string, number: number, holder: Holder): Promise<boolean> {
  // The lock appears with its content, or not at all.
  const own = join(directory, `${holder.token}.lock`);
  await writeFile(own, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
  try {
    await link(own, pathOf(directory, number));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(own);
  }
}

async function isHighest(directory: string, number: number): Promise<boolean> {
  const numbers = await numbersIn(directory);
  return numbers.includes(number) && Math.max(...numbers) === number;
}

/** Locks that were taken over, and leftovers of a process that was killed while it took one. */
async function removeOld(directory: string, number: number): Promise<void> {
  for (const file of await readdir(directory)) {
    const [, other] = LOCK.exec(file) ?? [];
    const isOld = other === undefined ? await isLeftover(join(directory, file)) : Number(other) < number;
    if (isOld) await unlessGone(unlink(join(directory, file)));
  }
}

async function isLeftover(path: string): Promise<boolean> {
  if (!path.endsWith('.lock')) return false;
  const about = await unlessGone(stat(path));
  return about !== undefined && Date.now() - about.mtimeMs > STALE_MS;
}

async function numbersIn(directory: string): Promise<number[]> {
  return (await readdir(directory)).flatMap((file) => {
    const [, number] = LOCK.exec(file) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}

function pathOf(directory: string, number: number): string {
  return join(directory, `push-${number}.lock`);
}

async function livingHolder(path: string): Promise<Holder | undefined> {
  const text = await unlessGone(readFile(path, 'utf8'));
  const about = await unlessGone(stat(path));
  if (text === undefined || !about) return undefined;
  const holder = parseHolder(text);
  if (!holder) return undefined;
  const isStale = Date.now() - about.mtimeMs > STALE_MS;
  if (isStale || (holder.machine === machine() && !isRunning(holder))) return undefined;
  return holder;
}

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

function isRunning({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return started === null || startOf(pid) === started;
}

function describeMyself(): Holder {
  return {
    pid: process.pid,
    started: startOf(process.pid),
    machine: machine(),
    since: new Date().toISOString(),
    token: randomUUID(),
  };
}

/** Field 22 of `/proc/<pid>/stat`. The name of the program comes before, in brackets, and may contain anything. */
function startOf(pid: number): string | null {
  const text = readIfThere(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return (
    text
      ?.slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .at(19) ?? null
  );
}

function machine(): string {
  const boot = readIfThere(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const pids = readIfThere(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot, pids].filter((part) => part !== undefined).join(' ');
}

function readIfThere(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
