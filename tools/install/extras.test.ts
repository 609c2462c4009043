import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildImages } from '../image/build-images.ts';
import { findFreePort } from '../services/port.ts';
import { untilReady } from '../services/ready.ts';
import { isFull } from '../test-size.ts';
import { type Docker, startDocker } from './docker.ts';
import { buildEngineImages, engineVariables } from './engine-images.ts';
import { follow, keyIn } from './page.ts';

const ROOT = join(import.meta.dirname, '../..');
const WAITS = { timeout: 600_000, interval: 500 };

interface Targets {
  readonly data: { readonly activeTargets: readonly { labels: { job: string }; health: string }[] };
}
interface Rules {
  readonly data: { readonly groups: readonly { rules: readonly { type: string }[] }[] };
}

describe.runIf(isFull && process.getuid?.() === 0)(
  'what compose.yaml can be extended by',
  { timeout: 1_200_000 },
  () => {
    let docker: Docker;
    const built = mkdtempSync(join(tmpdir(), 'extras-'));

    beforeAll(async () => {
      await buildImages(built, ['amd64']);
      docker = await startDocker();
      await buildEngineImages(docker);
      await docker.load(built, 'waymark', 'waymark:test');
    }, 1_800_000);

    afterAll(async () => {
      await docker?.stop();
      rmSync(built, { recursive: true });
    });

    /** The repository with an installation of its own. */
    async function givenCompose(files: readonly string[], more: Readonly<Record<string, string>> = {}) {
      const port = String(await findFreePort());
      const url = `http://localhost:${port}`;
      const env = {
        ...docker.env,
        ...engineVariables((tag) => tag),
        COMPOSE_FILE: files.join(':'),
        WAYMARK_IMAGE: 'waymark:test',
        WAYMARK_PORT: port,
        WAYMARK_PUBLIC_URL: url,
        ...more,
      };
      const say = (command: string) => follow([`docker compose ${command}`], { cwd: ROOT, env });
      onTestFinished(async () => void (await say('--profile demo down --volumes --timeout 1')));
      return { url, say };
    }

    it('the demo profile: ninety days of an example org, and a key to it', async () => {
      const { url, say } = await givenCompose(['compose.yaml']);
      await say('--profile demo up --detach');
      await untilReady(url, { isAlive: () => true, hint: 'docker compose logs api' });
      await expect.poll(async () => await say('logs demo'), WAITS).toMatch(/ready http/);
      const key = keyIn(await say('logs --no-log-prefix demo'));
      const answer = await fetch(`${url}/api/v2/environments/acme`, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
      expect(((await answer.json()) as unknown[]).length).toBeGreaterThan(3);
    });

    it('compose.prod.yaml: TLS by Caddy, and a backup of database and files', async () => {
      const work = mkdtempSync(join(tmpdir(), 'prod-'));
      onTestFinished(() => rmSync(work, { recursive: true }));
      const backups = join(work, 'backups');
      mkdirSync(backups);
      writeFileSync(join(work, 'smtp-url'), 'smtp://127.0.0.1:2525');
      const { say } = await givenCompose(['compose.yaml', 'compose.prod.yaml'], {
        WAYMARK_DOMAIN: 'localhost',
        WAYMARK_SMTP_URL_FILE: join(work, 'smtp-url'),
        WAYMARK_BACKUPS: backups,
      });
      await say('up --detach');
      await expect.poll(() => statusOf('https://localhost/ready'), WAITS).toBe(200);
      await expect.poll(() => globSync('*.dump', { cwd: backups }).length, WAITS).toBe(1);
      await expect.poll(() => existsSync(join(backups, 'evidence')), WAITS).toBe(true);
    });

    it('compose.observability.yaml: Prometheus scrapes both parts and has every rule', async () => {
      const port = String(await findFreePort());
      const { say } = await givenCompose(['compose.yaml', 'compose.observability.yaml'], {
        WAYMARK_PROMETHEUS_PORT: port,
      });
      // Grafana cannot be had without a registry.
      await say('up --detach api worker prometheus');
      const ask = async (path: string): Promise<unknown> => {
        try {
          return await (await fetch(`http://localhost:${port}/api/v1/${path}`)).json();
        } catch {
          return { data: { activeTargets: [], groups: [] } };
        }
      };
      const health = async () =>
        ((await ask('targets')) as Targets).data.activeTargets.map(({ labels, health }) => `${labels.job} ${health}`);
      await expect
        .poll(async () => (await health()).toSorted(), WAITS)
        .toEqual(['waymark-api up', 'waymark-worker up']);
      const { data } = (await ask('rules')) as Rules;
      expect(data.groups.flatMap(({ rules }) => rules.filter(({ type }) => type === 'alerting'))).toHaveLength(18);
    });
  },
);

/** Caddy signs the certificate of localhost itself. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once('error', () => resolve(undefined));
    sent.end();
  });
}
