import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { clusterDir, startPostgres, wipePostgres } from '../../../../tools/services/postgres.ts';
import { untilReady } from '../../../../tools/services/ready.ts';
import { complaintsAbout, readCommands } from '../../../server/test/guards/pages/shell.ts';
import { type Outbound, watchOutbound } from './watch-outbound.ts';

/** What happened between an empty machine and a green verdict. */
export interface Walked {
  /** Where the tutorial shows something else than was printed. */
  readonly complaints: readonly string[];
  /** The status of each page and each file that a browser would load. */
  readonly loaded: Readonly<Record<string, number>>;
  readonly outbound: Outbound;
}

export interface Walk {
  readonly serverProgram: string;
  /** A folder with the command `waymark`. */
  readonly commandPath: string;
  readonly webDir: string;
  /** Whether to follow the first tutorial as well. */
  readonly followsTutorial: boolean;
  /** More settings of the server. */
  readonly env: Readonly<Record<string, string>>;
}

/** Installs and uses Waymark in this network namespace, which must be new, and watches what tries to leave it. */
async function walk({ serverProgram, commandPath, webDir, followsTutorial, env: more }: Walk): Promise<Walked> {
  const readOutbound = watchOutbound();
  const cluster = { name: 'air-gapped', port: 5432, dir: clusterDir('air-gapped') };
  const home = await mkdtemp(join(tmpdir(), 'air-gapped-'));
  const url = 'http://127.0.0.1:8080';
  const path = `${commandPath}:${process.env['PATH']}`;
  const env = {
    PATH: path,
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: url,
    WAYMARK_DATABASE_URL: 'postgres://waymark@127.0.0.1:5432/waymark',
    WAYMARK_BLOB_DIR: join(home, 'blobs'),
    WAYMARK_WEB_DIR: webDir,
    ...more,
  };
  const waymarkServer = (...args: string[]) =>
    spawn(process.execPath, [serverProgram, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const administer = async (...args: string[]) => {
    const command = waymarkServer(...args);
    const [out, [code]] = await Promise.all([text(command.stdout), once(command, 'close')]);
    if (code !== 0) throw new Error(`waymark-server ${args.join(' ')} ended with ${code}:\n${out}`);
    return out.trim();
  };

  // An interrupted walk leaves its data behind.
  await wipePostgres(cluster);
  await startPostgres(cluster);
  try {
    await administer('migrate');
    await administer('org', 'create', 'acme');
    await administer('user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
    const key = await administer('key', 'create', '--user', 'ada', '--description', 'air-gapped');
    const server = waymarkServer('all');
    server.stdout.resume();
    await untilReady(url, { isAlive: () => server.exitCode === null, hint: 'Its log is above.' });
    const [, ...commands] = await readCommands('first-verdict.md');
    const reader = { PATH: path, HOME: home, WAYMARK_HOST: url, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: key, TZ: 'UTC' };
    const complaints = followsTutorial ? await complaintsAbout(commands, reader) : [];
    const loaded = await load(url);
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'close');
    return { complaints, loaded, outbound: readOutbound() };
  } finally {
    await wipePostgres(cluster);
    await rm(home, { recursive: true });
  }
}

async function load(url: string): Promise<Record<string, number>> {
  const loaded: Record<string, number> = {};
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } });
    loaded[path] = answer.status;
    return answer.text();
  };
  const page = await get('/acme');
  for (const [, file = ''] of page.matchAll(/(?:src|href)="([^"]+)"/g)) await get(file);
  for (const path of ['/sign-in', '/docs', '/api/v2/openapi.json']) await get(path);
  return loaded;
}

if (import.meta.main) {
  const walked = await walk(JSON.parse(process.argv[2] ?? '') as Walk);
  process.stdout.write(JSON.stringify(walked));
}
