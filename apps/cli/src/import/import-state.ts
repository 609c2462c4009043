import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../run/cli-error.ts';
import { isLock, takePushLock } from '../spool/push-lock.ts';
import { addTo, emptyTally, type Item, type Tally } from './tally.ts';

/**
 * What an unfinished import has done. Nothing depends on it but the time of the next run and the counts in its report:
 * what is lost of it is compared with the target again, and found there.
 */
export interface ImportState {
  readonly tally: Tally;
  isDone(key: string): boolean;
  /** Counts the items, and remembers that this key needs no second visit. */
  record(key: string, items?: readonly Item[]): void;
  /** The next run compares everything again. */
  finish(): Promise<void>;
  /** Keeps the state for the next run. */
  close(): Promise<void>;
}

interface Line {
  readonly done?: string;
  readonly items?: readonly Item[];
}

interface Head {
  readonly version: 1;
  readonly import: string;
  readonly tally: Tally;
}

const FILE = 'import.jsonl';

/** Keys by what they are in. Those in a trail or flow are forgotten when it is done, so that the file stays small. */
interface Done {
  readonly inOrg: Set<string>;
  readonly inFlow: Set<string>;
  readonly inTrail: Set<string>;
}

const IN_TRAIL = /^(begun|artifact|attestation) /;
const IN_FLOW = /^(created|trail|loose-artifact) /;

/** Opens the state of one import, which is named after its source and its target. */
export async function openState(directory: string, name: string): Promise<ImportState> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = await takePushLock(directory);
  if (!isLock(lock)) {
    throw usageError(
      `Another import runs with this state (process ${lock.pid})`,
      'Wait for it to end, or name another directory with --state',
    );
  }
  const path = join(directory, FILE);
  try {
    const done = nothingDone();
    const tally = readState(path, name, done);
    // Written again as a whole: the last line may be cut off, and most lines are no longer needed.
    writeWhole(path, name, tally, done);
    return savedState({ path, name, tally, done, release: lock.release });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Saved {
  readonly path: string;
  readonly name: string;
  readonly tally: Tally;
  readonly done: Done;
  readonly release: () => Promise<void>;
}

function savedState({ path, name, tally, done, release }: Saved): ImportState {
  return {
    tally,
    isDone: (key) => holderOf(done, key).has(key),
    record(key, items = []) {
      for (const item of items) addTo(tally, item);
      appendFileSync(path, `${JSON.stringify({ done: key, ...(items.length > 0 && { items }) })}\n`);
      remember(done, key);
      if (key.startsWith('flow ')) writeWhole(path, name, tally, done);
    },
    async finish() {
      rmSync(path, { force: true });
      await release();
    },
    close: release,
  };
}

/** Keeps everything in memory: a dry run leaves nothing behind. */
export function unsavedState(): ImportState {
  const tally = emptyTally();
  const done = nothingDone();
  return {
    tally,
    isDone: (key) => holderOf(done, key).has(key),
    record(key, items = []) {
      for (const item of items) addTo(tally, item);
      remember(done, key);
    },
    finish: async () => undefined,
    close: async () => undefined,
  };
}

const nothingDone = (): Done => ({ inOrg: new Set(), inFlow: new Set(), inTrail: new Set() });

function holderOf(done: Done, key: string): Set<string> {
  if (IN_TRAIL.test(key)) return done.inTrail;
  return IN_FLOW.test(key) ? done.inFlow : done.inOrg;
}

function remember(done: Done, key: string): void {
  if (key.startsWith('trail ')) done.inTrail.clear();
  if (key.startsWith('flow ')) done.inFlow.clear();
  holderOf(done, key).add(key);
}

function readState(path: string, name: string, done: Done): Tally {
  const [first, ...lines] = textOf(path).split('\n');
  if (!first) return emptyTally();
  const head = parsed<Head>(first);
  if (!head) throw usageError(`${path} is damaged`, 'Delete it and run the command again: nothing is recorded twice');
  if (head.import !== name) {
    throw usageError(`${path} is the state of another import: ${head.import}`, 'Name another directory with --state');
  }
  for (const text of lines) {
    const line = parsed<Line>(text);
    if (!line) continue;
    for (const item of line.items ?? []) addTo(head.tally, item);
    if (line.done !== undefined) remember(done, line.done);
  }
  return head.tally;
}

/** A process that is killed while it writes leaves half a line. */
function parsed<T>(text: string): T | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function writeWhole(path: string, name: string, tally: Tally, { inOrg, inFlow, inTrail }: Done): void {
  const head: Head = { version: 1, import: name, tally };
  const lines = [head, ...[...inOrg, ...inFlow, ...inTrail].map((key) => ({ done: key }))].map((line) =>
    JSON.stringify(line),
  );
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
