import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const WEB = join(import.meta.dirname, '../../apps/web');

/** Builds the web application as it is shipped. Takes a few seconds. */
export function buildWeb(): void {
  build('the web application', []);
}

/** Builds the story page of the web application, for its tests. It is never shipped. */
export function buildKit(): void {
  build('the kit', ['--config', join(WEB, 'kit/vite.config.ts')]);
}

function build(what: string, options: readonly string[]): void {
  const { status, stderr } = spawnSync(join(WEB, 'node_modules/.bin/vite'), ['build', WEB, ...options], {
    // Otherwise tests would run the larger and slower development build.
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${what} could not be built:\n${stderr}`);
}
