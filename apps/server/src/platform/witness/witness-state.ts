import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { originHash, parseSignedCheckpoint, type SignedCheckpoint } from '@waymark/transparency';

/** The latest checkpoint that was cosigned for a log, and how many there were before it. */
export interface Cosigned {
  readonly generation: number;
  readonly signed: SignedCheckpoint;
}

/**
 * What a witness must never forget, as files: `<hash of the origin>/<generation>` has the cosigned checkpoint. A
 * generation is created under its name once, by one process, and is durable before anybody learns of its cosignature.
 * So no crash, and no second process on the same directory, can make the state go back.
 */
export interface WitnessState {
  /** Undefined for a log of which nothing was cosigned. */
  read(origin: string): Promise<Cosigned | undefined>;
  /** Returns whether this is now the latest; false when another process was faster. */
  store(origin: string, generation: number, note: string): Promise<boolean>;
}

/** The older ones are for people who look into the directory. */
const RETAINED = 3;
const GENERATION = /^[1-9][0-9]{0,15}$/;

export async function openWitnessState(directory: string): Promise<WitnessState> {
  await mkdir(directory, { recursive: true });
  const folderOf = (origin: string) => join(directory, originHash(origin));
  return {
    async read(origin) {
      const generation = (await listGenerations(folderOf(origin))).at(-1);
      if (generation === undefined) return undefined;
      const signed = parseSignedCheckpoint(await readFile(join(folderOf(origin), `${generation}`)));
      if (signed.checkpoint.origin === origin) return { generation, signed };
      throw new Error(`the checkpoint in ${folderOf(origin)} is that of '${signed.checkpoint.origin}'`);
    },
    async store(origin, generation, note) {
      const folder = folderOf(origin);
      if (generation === 1) await mkdir(folder, { recursive: true });
      if (!(await createFile(folder, `${generation}`, note))) return false;
      await sync(folder);
      if (generation === 1) await sync(directory);
      // Another process that is further ahead has removed this name before it was created here again.
      const generations = await listGenerations(folder);
      if (generations.at(-1) !== generation) return false;
      for (const old of generations.slice(0, -RETAINED)) await rm(join(folder, `${old}`), { force: true });
      return true;
    },
  };
}

/** From the oldest to the latest. */
async function listGenerations(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(emptyIfMissing);
  return names
    .filter((name) => GENERATION.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** Creates a file whole, or returns false if there is one. A crash leaves at most a draft, which nobody reads. */
async function createFile(folder: string, name: string, content: string): Promise<boolean> {
  const draft = join(folder, `draft-${randomBytes(8).toString('hex')}`);
  const file = await open(draft, 'wx', 0o644);
  try {
    await file.writeFile(content);
    await file.sync();
    await link(draft, join(folder, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

/** Makes the names in a directory durable. */
async function sync(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
