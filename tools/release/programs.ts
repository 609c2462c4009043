import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fetchDebianFile } from '../image/sources.ts';
import { dataDir } from '../services/endpoints.ts';
import lock from './programs.lock.json' with { type: 'json' };
import { runProgram } from './run-program.ts';

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
  const { version, path, sha256 } = lock[name];
  const home = join(dataDir, 'release-programs', `${name}-${version}`);
  if (!existsSync(home)) {
    const archive = await fetchDebianFile(path, sha256, 'tools/release/programs.lock.json');
    mkdirSync(join(dataDir, 'release-programs'), { recursive: true });
    const work = `${home}.${process.pid}`;
    runProgram('dpkg-deb', ['-x', archive, work]);
    renameSync(work, home);
  }
  return join(home, 'usr/bin', name);
}
