import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, inject, onTestFinished, TestRunner } from 'vitest';
import { givenLedger } from '../../../tools/demo/ledger.ts';
import type { DemoOrg } from '../../../tools/demo/seed.ts';
import { sessionCookie } from '../../../tools/demo/session-cookie.ts';
import { compiled } from '../../../tools/services/compiled.ts';
import { endpoints } from '../../../tools/services/endpoints.ts';
import { findFreePort } from '../../../tools/services/port.ts';
import { untilReady } from '../../../tools/services/ready.ts';
import { type Db, openDb } from '../../server/src/platform/db/db.ts';
import { createLogger } from '../../server/src/platform/log.ts';
import { createDatabase } from '../../server/test/databases.ts';
import type { GivenDemo } from '../../server/test/given/demo.ts';
import { type MailServer, startMailServer } from '../../server/test/mail-server.ts';

export type Login = 'ada' | 'bea' | 'carl';

/** A whole installation of its own, with the demo's org in it, and a browser. */
export interface Stage {
  readonly url: string;
  readonly org: DemoOrg;
  readonly mail: MailServer;
  readonly db: Db;
  readonly browser: Browser;
  /** A browser profile, signed in or not. It is closed with the test that opened it. */
  profile(login?: Login, options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>;
  /** A page of such a profile. `troubles` collects what broke in it. */
  open(login?: Login, options?: Parameters<Browser['newContext']>[0]): Promise<WatchedPage>;
}

export interface WatchedPage {
  readonly page: Page;
  /** Console errors, script errors, and violations of the content security policy. */
  readonly troubles: readonly string[];
}

interface StageOptions {
  /** A history other than the one that the tests share. */
  readonly demo?: Omit<GivenDemo, 'drop'>;
  /** Whether checkpoints are signed, and cosigned by two witnesses. */
  readonly ledger?: boolean;
}

export async function openStage({ demo = inject('demo'), ledger = false }: StageOptions = {}): Promise<Stage> {
  const { org, installation } = demo;
  const { url: databaseUrl } = await createDatabase(new URL(installation.databaseUrl).pathname.slice(1));
  const blobDir = await mkdtemp(join(tmpdir(), 'waymark-web-blobs-'));
  await cp(installation.blobs.root, blobDir, { recursive: true });
  const mail = await startMailServer();
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const ledgerDir = await mkdtemp(join(tmpdir(), 'waymark-web-ledger-'));
  const { settings, witnesses } = ledger ? await givenLedger(ledgerDir) : { settings: {}, witnesses: [] };
  const env = {
    ...process.env,
    ...compiled,
    ...settings,
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: url,
    WAYMARK_PORT: String(port),
    WAYMARK_DATABASE_URL: databaseUrl,
    WAYMARK_NATS_URL: endpoints().natsUrl,
    WAYMARK_NATS_STREAM: `web_${randomBytes(4).toString('hex')}`,
    WAYMARK_BLOB_DIR: blobDir,
    WAYMARK_WEB_DIR: join(import.meta.dirname, '../dist'),
    WAYMARK_SMTP_URL: mail.url,
    WAYMARK_SIGN_UP: 'open',
    WAYMARK_OUTBOUND_NETWORKS: '127.0.0.0/8,::1/128',
    WAYMARK_SECRET_KEY: Buffer.from(installation.secretKey).toString('base64'),
    WAYMARK_CHROMIUM: '/usr/bin/chromium',
    WAYMARK_CHROMIUM_SANDBOX: process.getuid?.() === 0 ? 'off' : 'on',
    WAYMARK_LOG_LEVEL: 'warn',
  };
  const start = (part: 'api' | 'worker' | 'witness', env: NodeJS.ProcessEnv) =>
    spawn(process.execPath, [inject('programs').server, part], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const processes = [
    ...witnesses.map((own) => start('witness', { ...process.env, ...compiled, WAYMARK_LOG_LEVEL: 'warn', ...own })),
    start('api', env),
    start('worker', env),
  ];
  const db = openDb({ url: databaseUrl, poolSize: 2, statementTimeoutMs: 30_000 }, createLogger('silent'));
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  afterAll(async () => {
    await browser.close();
    await Promise.all(processes.map(stop));
    await db.destroy();
    await rm(blobDir, { recursive: true });
    await rm(ledgerDir, { recursive: true });
  });
  const isAlive = () => processes.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  await untilReady(url, { isAlive, hint: 'Its log is above.' });

  const profile: Stage['profile'] = async (login, options = {}) => {
    const context = await browser.newContext({ baseURL: url, ...options });
    context.setDefaultTimeout(120_000);
    // Pages left open would refetch everything whenever the next test changes something.
    if (TestRunner.getCurrentTest()) onTestFinished(() => context.close());
    if (login !== undefined) await context.addCookies([await sessionCookie(db, url, login)]);
    return context;
  };
  return {
    url,
    org,
    mail,
    db,
    browser,
    profile,
    open: async (login, options) => watch(await (await profile(login, options)).newPage()),
  };
}

/** Collects what breaks in a page. */
export function watch(page: Page): WatchedPage {
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => troubles.push(error.message));
  return { page, troubles };
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
