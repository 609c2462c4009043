import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, SpoolError, unlessGone } from './spool-error.ts';

/** The folders of a spool. An entry moves between them by a rename, so it is in exactly one. */
export interface Places {
  readonly root: string;
  /** Entries being written. */
  readonly partial: string;
  readonly waiting: string;
  readonly refused: string;
}

export function placesIn(root: string): Places {
  return { root, partial: join(root, 'partial'), waiting: join(root, 'waiting'), refused: join(root, 'refused') };
}

/** Creates missing folders, and refuses a directory that others can read or write. */
export async function prepare(places: Places): Promise<void> {
  const missing = await missingOf(places.root);
  for (const path of missing) await makeOne(path);
  await checkPrivate(places.root);
  for (const folder of [places.partial, places.waiting, places.refused]) await makeOne(folder);
  const [outermost] = missing;
  if (outermost === undefined) return;
  for (const path of [dirname(outermost), ...missing]) await syncDirectory(path);
}

/** A directory and its missing parents, the outermost first. */
async function missingOf(path: string): Promise<string[]> {
  const about = await unlessGone(stat(path));
  if (about?.isDirectory()) return [];
  if (about) {
    throw new SpoolError('The request was not spooled', {
      why: `${path} is not a directory`,
      fix: 'Choose another directory with WAYMARK_SPOOL_DIR',
    });
  }
  return path === dirname(path) ? [path] : [...(await missingOf(dirname(path))), path];
}

/** Not with `recursive`: that never ends where the system reports an existing parent as missing, as in /proc. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

export async function checkPrivate(root: string): Promise<void> {
  const { mode, uid } = await stat(root);
  const me = process.getuid?.();
  // Windows has neither, and restricts a profile to its user.
  if (me === undefined) return;
  if (uid !== me) {
    throw new SpoolError('The spool cannot be used', {
      why: `${root} belongs to another user, who could read and change what is sent in your name`,
      fix: 'Choose your own directory with WAYMARK_SPOOL_DIR',
    });
  }
  if ((mode & 0o077) !== 0) {
    throw new SpoolError('The spool cannot be used', {
      why: `${root} is accessible to other users (mode ${(mode & 0o777).toString(8)})`,
      fix: `chmod 700 '${root}'`,
    });
  }
}

/** A new name in a directory survives a power cut only after this. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows can't sync directories, and writes names through.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
