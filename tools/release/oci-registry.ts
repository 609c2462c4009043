import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../services/port.ts';

export interface OciRegistry {
  /** Host and port, as in a reference. */
  readonly host: string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts `docker-registry`, the Debian package of that name, on a free local port. Its log is discarded by the system and
 * not by this process, which waits for other programs most of the time.
 */
export async function startOciRegistry(): Promise<OciRegistry> {
  const root = mkdtempSync(join(tmpdir(), 'oci-registry-'));
  const host = `127.0.0.1:${await findFreePort()}`;
  const config = join(root, 'config.json');
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      version: 0.1,
      storage: { filesystem: { rootdirectory: join(root, 'data') } },
      http: { addr: host },
    }),
  );
  const child = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  let failure: unknown;
  child.once('error', (error) => {
    failure = error;
  });
  const stop = async () => {
    if (child.exitCode === null && failure === undefined) {
      child.kill();
      await once(child, 'exit');
    }
    rmSync(root, { recursive: true });
  };
  for (;;) {
    const answer = await fetch(`http://${host}/v2/`).catch(() => undefined);
    if (answer?.ok) return { host, stop };
    if (failure !== undefined || child.exitCode !== null) {
      await stop();
      throw new Error('docker-registry cannot be started; install the package docker-registry', { cause: failure });
    }
    await sleep(50);
  }
}
