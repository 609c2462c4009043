import { spawn } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../../apps/cli/src/run/version.ts';
import { createDatabase, dropDatabases } from '../../apps/server/test/databases.ts';
import { buildDebianPackage } from '../debian/build-package.ts';
import { buildImages } from '../image/build-images.ts';
import { findFreePort } from '../services/port.ts';
import { untilReady } from '../services/ready.ts';
import { isFull } from '../test-size.ts';
import { cleanRoot } from './clean-root.ts';
import { setPort, startUnit, stopUnit } from './debian-server.ts';
import { type Docker, startDocker } from './docker.ts';
import { buildEngineImages, engineVariables } from './engine-images.ts';
import { commandsOf, follow, keyIn } from './page.ts';
import { buildPreviousRelease, type PreviousRelease } from './previous-release.ts';
import { underLoad } from './under-load.ts';

const ROOT = join(import.meta.dirname, '../..');

/** By each release in turn. */
const WRITES = 20;

/** What a caller may see while the one server is replaced. */
const AWAY = /: (ECONNREFUSED|ECONNRESET|503)$/;

/** The commands of the page for each way. */
const [COMPOSE = '', ONE_PROCESS = '', DEBIAN = ''] = commandsOf('Upgrade');

interface Installation {
  readonly way: string;
  readonly url: string;
  readonly token: string;
  /** Replaces what runs by another release. */
  change(to: 'this' | 'previous'): Promise<void>;
}

describe.runIf(isFull && process.getuid?.() === 0)('the last release is upgraded and rolled back under load', () => {
  let docker: Docker;
  let previous: PreviousRelease;
  const work = mkdtempSync(join(tmpdir(), 'upgrade-'));
  const deb = join(work, 'deb');

  beforeAll(async () => {
    previous = buildPreviousRelease();
    await buildImages(join(work, 'images'), ['amd64']);
    await buildDebianPackage(deb);
    docker = await startDocker();
    await buildEngineImages(docker);
    await docker.load(previous.images, 'waymark', 'waymark:previous');
    await docker.load(join(work, 'images'), 'waymark', 'waymark:this');
  }, 1_800_000);

  afterAll(async () => {
    await docker?.stop();
    previous?.remove();
    rmSync(work, { recursive: true });
  });

  async function versionAt(url: string): Promise<string | null> {
    await untilReady(url, { isAlive: () => true, hint: 'See its log.' });
    return (await fetch(`${url}/api/v2/openapi.json`)).headers.get('waymark-version');
  }

  /** There, and back if the old release can. Whatever was acknowledged in between is still there. */
  async function expectNothingLost({ way, url, token, change }: Installation): Promise<void> {
    expect(await versionAt(url)).toBe(previous.version);
    const start = (program: string, args: readonly string[]) =>
      spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const seen = await underLoad(start, { url, org: 'acme', token, name: 'upgrade' }, async ({ written }) => {
      const untilUsed = async () => {
        const before = written.length;
        await expect.poll(() => written.length, { timeout: 600_000 }).toBeGreaterThan(before + WRITES);
      };
      await untilUsed();
      await change('this');
      expect(await versionAt(url)).toBe(version);
      await untilUsed();
      if (!previous.canReturn) return;
      await change('previous');
      expect(await versionAt(url)).toBe(previous.version);
      await untilUsed();
    });
    process.stdout.write(
      `${way}, ${previous.version} to ${version}${previous.canReturn ? ' and back' : ''}: ${seen.written.length} writes, ${seen.reads} reads, ` +
        `${seen.failures.length} while it was away\n`,
    );
    expect(seen.failures.filter((failure) => !AWAY.test(failure))).toEqual([]);
    for (const flow of seen.written) {
      const { status } = await fetch(`${url}/api/v2/flows/acme/${flow}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(status, flow).toBe(200);
    }
  }

  it('with Docker Compose', { timeout: 1_200_000 }, async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'compose-'));
    const port = String(await findFreePort());
    const url = `http://localhost:${port}`;
    const env = {
      ...docker.env,
      ...engineVariables((tag) => tag),
      WAYMARK_PORT: port,
      WAYMARK_PUBLIC_URL: url,
    };
    let image = 'waymark:previous';
    const say = (...commands: string[]) => follow(commands, { cwd, env: { ...env, WAYMARK_IMAGE: image } });
    onTestFinished(async () => void (await say('docker compose down --volumes --timeout 1')));
    copyFileSync(previous.compose, join(cwd, 'compose.yaml'));
    const token = keyIn(await say(...commandsOf('Docker Compose')));
    await expectNothingLost({
      way: 'Docker Compose',
      url,
      token,
      async change(to) {
        image = `waymark:${to}`;
        copyFileSync(to === 'this' ? join(ROOT, 'compose.yaml') : previous.compose, join(cwd, 'compose.yaml'));
        await say(COMPOSE);
      },
    });
  });

  it('with one process', { timeout: 1_200_000 }, async () => {
    const database = await createDatabase();
    onTestFinished(() => dropDatabases(database.name));
    onTestFinished(async () => void (await docker.docker('rm', '--force', '--volumes', 'waymark')));
    const cwd = mkdtempSync(join(tmpdir(), 'one-process-'));
    const port = await findFreePort();
    const env = { ...docker.env, DATABASE_URL: database.url };
    const [start = '', ...then] = commandsOf('One process');
    const startOf = (release: 'this' | 'previous') =>
      start
        .replace(/ghcr\.io\/waymark\/waymark:[\w.-]+/, `waymark:${release}`)
        .replace('http://localhost:8080', `http://localhost:${port} --env WAYMARK_PORT=${port}`);
    const token = keyIn(await follow([startOf('previous'), ...then], { cwd, env }));
    await expectNothingLost({
      way: 'One process',
      url: `http://localhost:${port}`,
      token,
      change: async (to) => void (await follow([ONE_PROCESS, startOf(to)], { cwd, env })),
    });
  });

  it('with the Debian package', { timeout: 1_800_000 }, async () => {
    const root = cleanRoot();
    onTestFinished(() => root.leave());
    const put = (folder: string) => {
      for (const file of globSync(join(root.path, 'root/*.deb'))) rmSync(file);
      for (const file of globSync('*.deb', { cwd: folder })) {
        copyFileSync(join(folder, file), join(root.path, 'root', file));
      }
    };
    const port = await findFreePort();
    const [install = '', prepare = '', ...then] = commandsOf('Debian package');
    put(previous.deb);
    root.run(install);
    root.startPostgres();
    setPort(root, port);
    root.run(prepare);
    let server = await startUnit(root, port);
    onTestFinished(() => stopUnit(server));
    const token = keyIn(then.map((commands) => root.run(commands)).join('\n'));
    await expectNothingLost({
      way: 'Debian package',
      url: `http://localhost:${port}`,
      token,
      async change(to) {
        put(to === 'this' ? deb : previous.deb);
        root.run(DEBIAN);
        await stopUnit(server);
        server = await startUnit(root, port);
      },
    });
  });
});
