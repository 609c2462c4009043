import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const WEB = join(import.meta.dirname, '../../apps/web');

/** Builds the web application as it is shipped. Takes a few seconds. */
export function buildWeb(): void {
  const { status, stderr } = spawnSync(join(WEB, 'node_modules/.bin/vite'), ['build', WEB], {
    // Else tests would see the larger and slower form of everything that is for developers.
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the web application could not be built:\n${stderr}`);
}
