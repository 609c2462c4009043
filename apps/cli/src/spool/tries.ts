import { readFile, unlink, writeFile } from 'node:fs/promises';
import { unlessGone } from './spool-error.ts';

/** How often another server answered an entry. */
export interface Tries {
  readonly tries: number;
  /** ISO 8601. */
  readonly since: string;
}

const ENOUGH = 20;
/** Leaves a night to fix a proxy or an address, however many commands try meanwhile. */
const LONG_ENOUGH_MS = 86_400_000;

const ENDING = '.tries';

export const isTries = (file: string): boolean => file.endsWith(ENDING);

export function triesOf(file: string): string {
  return `${file}${ENDING}`;
}

/** Counts one more, in a file beside the entry. Only for the holder of the lock. */
export async function countTry(path: string, now: Date): Promise<Tries> {
  const before = await readTries(triesOf(path));
  const counted = { tries: (before?.tries ?? 0) + 1, since: before?.since ?? now.toISOString() };
  await writeFile(triesOf(path), JSON.stringify(counted), { mode: 0o600 });
  return counted;
}

export async function forgetTries(path: string): Promise<void> {
  await unlessGone(unlink(triesOf(path)));
}

export function isHopeless({ tries, since }: Tries, now: Date): boolean {
  return tries >= ENOUGH && now.getTime() - Date.parse(since) > LONG_ENOUGH_MS;
}

/** An unreadable count starts over: the entry waits longer, which loses nothing. */
async function readTries(path: string): Promise<Tries | undefined> {
  try {
    const { tries, since } = JSON.parse(await readFile(path, 'utf8')) as Partial<Tries>;
    if (!Number.isSafeInteger(tries) || typeof since !== 'string' || Number.isNaN(Date.parse(since))) return undefined;
    return { tries: Number(tries), since };
  } catch {
    return undefined;
  }
}
