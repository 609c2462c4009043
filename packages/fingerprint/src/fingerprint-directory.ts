import { createHash, type Hash, hash } from 'node:crypto';
import type { Dirent, Stats } from 'node:fs';
import { readdir, readlink, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { excludedPaths } from './excluded-paths.ts';
import { contentDigest } from './fingerprint-file.ts';
import { ignoredPatterns } from './ignore-file.ts';

interface Walk {
  readonly digests: Hash;
  readonly excluded: ReadonlySet<string>;
}

/**
 * The SHA-256 of the digests of all names and contents, one after another in hex, depth first and in byte order of names.
 * Modes, times, owners and the directory's own name do not count. One file is open at a time.
 */
export async function fingerprintDirectory(
  path: string,
  options: { readonly exclude?: readonly string[] } = {},
): Promise<string> {
  // A link to a directory stands for the directory; otherwise all such links would have an empty fingerprint.
  if (!(await stat(path)).isDirectory()) throw new Error(`${path} is not a directory`);
  const root = resolve(path).replace(/^\/$/, '');
  const patterns = [...(options.exclude ?? []), ...(await ignoredPatterns(path))];
  const walk = { digests: createHash('sha256'), excluded: await excludedPaths(root, patterns) };
  await addEntries(walk, Buffer.from(root));
  return walk.digests.digest('hex');
}

/** Names stay bytes: they need not be UTF-8, and their order is that of bytes. */
async function addEntries(walk: Walk, directory: Buffer): Promise<void> {
  const path = Buffer.concat([directory, Buffer.from('/')]);
  const entries = await readdir(path, { withFileTypes: true, encoding: 'buffer' });
  entries.sort((one, other) => Buffer.compare(one.name, other.name));
  for (const entry of entries) await addEntry(walk, Buffer.concat([path, entry.name]), entry);
}

async function addEntry(walk: Walk, path: Buffer, entry: Dirent<Buffer>): Promise<void> {
  if (walk.excluded.has(path.toString())) return;
  walk.digests.update(hash('sha256', entry.name));
  if (entry.isDirectory()) return addEntries(walk, path);
  const target = entry.isSymbolicLink() ? await targetOf(path) : entry;
  if (target.isDirectory()) walk.digests.update(hash('sha256', await readlink(path, { encoding: 'buffer' })));
  else if (target.isFile()) walk.digests.update(await contentDigest(path));
  // Reading a pipe or a device may never end.
  else throw new Error(`${path} is neither a file nor a directory`);
}

async function targetOf(link: Buffer): Promise<Stats> {
  try {
    return await stat(link);
  } catch (cause) {
    throw new Error(`The symbolic link ${link} leads nowhere: there is no ${await readlink(link)}`, { cause });
  }
}
