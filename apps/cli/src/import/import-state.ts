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

/** Keys of what is inside of these are forgotten with them, so that the file stays small. */
const CONTENTS: Readonly<Record<string, RegExp>> = {
  trail: /^(begun|artifact|attestation) /,
  flow: /^(created|trail) /,
};

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
  const done = new Set<string>();
  const tally = readState(path, name, done);
  // Written anew: the last line may be cut off, and most lines are no longer needed.
  writeWhole(path, name, tally, done);
  return {
    tally,
    isDone: (key) => done.has(key),
    record(key, items = []) {
      for (const item of items) addTo(tally, item);
      appendFileSync(path, `${JSON.stringify({ done: key, ...(items.length > 0 && { items }) })}\n`);
      remember(done, key);
      if (key.startsWith('flow ')) writeWhole(path, name, tally, done);
    },
    async finish() {
      rmSync(path, { force: true });
      await lock.release();
    },
    close: () => lock.release(),
  };
}

/** Keeps everything in memory: a dry run leaves nothing behind. */
export function unsavedState(): ImportState {
  const tally = emptyTally();
  const done = new Set<string>();
  return {
    tally,
    isDone: (key) => done.has(key),
    record(key, items = []) {
      for (const item of items) addTo(tally, item);
      remember(done, key);
    },
    finish: async () => undefined,
    close: async () => undefined,
  };
}

function remember(done: Set<string>, key: string): void {
  const contents = CONTENTS[key.split(' ')[0] ?? ''];
  if (contents) for (const inside of done) if (contents.test(inside)) done.delete(inside);
  done.add(key);
}

function readState(path: string, name: string, done: Set<string>): Tally {
  const [first, ...lines] = textOf(path).split('\n');
  if (!first) return emptyTally();
  const head = JSON.parse(first) as Head;
  if (head.import !== name) {
    throw usageError(`${path} is the state of another import: ${head.import}`, 'Name another directory with --state');
  }
  for (const text of lines) {
    const line = lineOf(text);
    if (!line) continue;
    for (const item of line.items ?? []) addTo(head.tally, item);
    if (line.done !== undefined) remember(done, line.done);
  }
  return head.tally;
}

/** A process that is killed while it writes leaves half a line. */
function lineOf(text: string): Line | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as Line);
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

function writeWhole(path: string, name: string, tally: Tally, done: ReadonlySet<string>): void {
  const head: Head = { version: 1, import: name, tally };
  const lines = [head, ...[...done].map((key) => ({ done: key }))].map((line) => JSON.stringify(line));
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
