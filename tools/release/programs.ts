import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { unpackDebianFile } from '../image/sources.ts';
import lock from './programs.lock.json' with { type: 'json' };

/** Programs of others that a release is signed and pushed with. */
export type Program = keyof typeof lock;

/**
 * Returns the path of a program: the one on PATH, else the one that the lock names, unpacked from its Debian package. The
 * latter needs an amd64 machine with libc 2.34 or newer.
 */
export async function findProgram(name: Program): Promise<string> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const installed = folders.map((folder) => join(folder, name)).find(existsSync);
  if (installed !== undefined) return installed;
  const { path, sha256 } = lock[name];
  return join(await unpackDebianFile(path, sha256, 'tools/release/programs.lock.json'), 'usr/bin', name);
}
