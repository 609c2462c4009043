import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDir } from '../services/endpoints.ts';
import { buildPackage } from './build-cli.ts';
import { buildServer } from './build-server.ts';

/** The programs as they are released. */
export interface BuiltPrograms {
  readonly server: string;
  /** A folder with the command `waymark`. */
  readonly path: string;
  readonly cli: string;
}

const FOLDER = join(dataDir, 'built');

/** Builds them once for this process and those that it starts: they start several times as fast as from source. */
export async function buildPrograms(): Promise<BuiltPrograms> {
  const built = join(FOLDER, `${process.pid}`);
  if (!existsSync(built)) {
    await mkdir(FOLDER, { recursive: true });
    await removeOld();
    const work = await mkdtemp(join(FOLDER, 'building-'));
    await Promise.all([buildServer(join(work, 'server')), buildPackage(join(work, 'cli'))]);
    await mkdir(join(work, 'bin'));
    const command = `#!/bin/sh\nexec '${process.execPath}' '${join(built, 'cli/dist/waymark.js')}' "$@"\n`;
    await writeFile(join(work, 'bin/waymark'), command, { mode: 0o755 });
    // Somebody else may have been faster.
    await rename(work, built).catch(() => rm(work, { recursive: true }));
  }
  return {
    server: join(built, 'server/waymark-server.js'),
    path: join(built, 'bin'),
    cli: join(built, 'cli/dist/waymark.js'),
  };
}

/** What processes that have ended left behind. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(FOLDER)) {
    if (/^\d+$/.test(name) && !existsSync(`/proc/${name}`)) await rm(join(FOLDER, name), { recursive: true });
  }
}
