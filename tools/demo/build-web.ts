import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const WEB = join(import.meta.dirname, '../../apps/web');

/** Builds the web application as it is shipped. Takes a few seconds. */
export function buildWeb(): void {
  const { status, stderr } = spawnSync(join(WEB, 'node_modules/.bin/vite'), ['build', WEB], {
    // Otherwise tests would run the larger and slower development build.
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the web application could not be built:\n${stderr}`);
}
