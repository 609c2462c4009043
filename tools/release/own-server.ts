import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createDatabase, dropDatabases } from '../../apps/server/test/databases.ts';
import { findFreePort } from '../services/port.ts';
import { untilReady } from '../services/ready.ts';
import { runProgram } from './run-program.ts';

/** A Waymark with one org and its admin, on a database of its own. */
export interface OwnServer {
  readonly url: string;
  readonly org: string;
  readonly token: string;
  readonly stop: () => Promise<void>;
}

/** How `waymark-server` is started, and where it may write. */
export interface ServerProgram {
  readonly line: readonly [program: string, ...args: string[]];
  readonly blobs: string;
}

/** The server of an unpacked image: as the user of the image and without anything of this machine if we are root. */
export function serverIn(root: string): ServerProgram {
  const [node, server, blobs] = ['/usr/local/bin/node', '/opt/waymark/waymark-server.js', '/var/lib/waymark'];
  if (process.getuid?.() === 0) return { line: ['chroot', '--userspec=65532:65532', root, node, server], blobs };
  return { line: [process.execPath, join(root, server)], blobs: join(root, blobs) };
}

export async function startOwnServer({ line: [program, ...args], blobs }: ServerProgram): Promise<OwnServer> {
  const database = await createDatabase();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: url,
    WAYMARK_DATABASE_URL: database.url,
    WAYMARK_BLOB_DIR: blobs,
    WAYMARK_PORT: String(port),
    WAYMARK_METRICS_PORT: String(await findFreePort()),
    WAYMARK_LOG_LEVEL: 'error',
  };
  const run = (...more: string[]) =>
    runProgram(program, [...args, ...more], { env })
      .toString()
      .trim();
  const org = 'waymark';
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (child && child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    await dropDatabases(database.name);
  };
  try {
    run('migrate');
    run('org', 'create', org);
    run('user', 'create', 'releaser', '--org', org, '--role', 'admin');
    const token = run('key', 'create', '--user', 'releaser', '--description', 'release');
    child = spawn(program, [...args, 'all'], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    const server = child;
    await untilReady(url, { isAlive: () => server.exitCode === null, hint: 'Its log is above.' });
    return { url, org, token, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
