import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { compiled } from '../../../../tools/services/compiled.ts';
import { findFreePort } from '../../../../tools/services/port.ts';
import { createMigratedDatabase, dropDatabases } from '../../../server/test/databases.ts';
import { startServer } from '../../../server/test/faults/processes.ts';
import { linkIn, startMailServer } from '../../../server/test/mail-server.ts';
import { watch } from '../stage.ts';
import { type BaseProxy, startProxy } from './proxy.ts';

const BASE = '/waymark';
const run = promisify(execFile);
const mails = await startMailServer();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  // Ignored for a context only, a certificate restarts each request that opens a connection, and one that is restarted
  // too often fails.
  args: ['--no-sandbox', '--ignore-certificate-errors'],
});
afterAll(() => browser.close());

/** An installation without users behind a proxy. */
async function install(stripsBasePath: boolean) {
  const proxy = await startProxy(BASE, stripsBasePath);
  const port = await findFreePort();
  proxy.forwardTo(port);
  const { name, url: databaseUrl } = await createMigratedDatabase();
  onTestFinished(() => dropDatabases(name));
  const directory = await mkdtemp(join(tmpdir(), 'waymark-base-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const env = {
    ...compiled,
    PATH: process.env['PATH'] ?? '',
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: proxy.url,
    WAYMARK_PORT: String(port),
    WAYMARK_TRUSTED_PROXIES: '127.0.0.1',
    WAYMARK_DATABASE_URL: databaseUrl,
    WAYMARK_BLOB_DIR: directory,
    WAYMARK_WEB_DIR: join(import.meta.dirname, '../../dist'),
    WAYMARK_SMTP_URL: mails.url,
  };
  const administer = async (...args: string[]) =>
    (await run(process.execPath, [inject('programs').server, ...args], { env })).stdout.trim();
  return { proxy, directory, administer, start: () => startServer(['all'], env, (all) => isUp(all.log())) };
}

const isUp = (log: readonly string[]) => log.includes('api listens') && log.includes('worker runs');

async function signInByMail(page: Page, address: string): Promise<void> {
  await page.getByLabel('Email address').fill(address);
  await page.getByRole('button', { name: 'Send sign-in link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.goto(linkIn(await mails.mailTo(address)));
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Runs the command line against the public address, as a person on another machine would. */
async function waymark({ url, cert }: BaseProxy, directory: string, key: string, ...args: string[]): Promise<string> {
  const trusted = join(directory, 'proxy.crt');
  await writeFile(trusted, cert);
  const { stdout } = await run(process.execPath, [inject('programs').cli, ...args], {
    cwd: directory,
    env: {
      ...compiled,
      HOME: directory,
      NODE_EXTRA_CA_CERTS: trusted,
      WAYMARK_HOST: url,
      WAYMARK_ORG: 'waymark',
      WAYMARK_TOKEN: key,
    },
  });
  return stdout.trim();
}

it.each([
  ['strips the base path', true],
  ['forwards the base path', false],
])('works as a whole behind a proxy that %s', async (_, stripsBasePath) => {
  const { proxy, directory, administer, start } = await install(stripsBasePath);
  const { url } = proxy;
  const email = `ada-${stripsBasePath}@example.test`;
  const link = await administer('set-up');
  await start();

  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(120_000);
  const { page, troubles } = watch(await context.newPage());
  await page.goto(link);
  // An org with the name of the base path must not be taken for it.
  await page.getByLabel('Name of your org').fill('waymark');
  await page.getByLabel('Your login').fill('ada');
  await page.getByLabel('Your email address').fill(email);
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.waitForURL(`${url}/waymark`);
  await page.getByText(`waymark auth login --host ${url} --org waymark`).waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();

  await page.getByRole('link', { name: 'Environments', exact: true }).first().click();
  await page.waitForURL(`${url}/waymark/environments`);
  // A page that is left while it loads its program says so.
  await page.getByRole('heading', { name: 'Environments', level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Environments', level: 1 }).waitFor();
  await page.goBack();
  await page.waitForURL(`${url}/waymark`);
  await page.getByText(`waymark auth login --host ${url} --org waymark`).waitFor();
  expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe(`${BASE}/docs`);

  const deepLink = `${url}/waymark/environments?q=prod`;
  // An open page would notice the end of its session and leave by itself.
  await page.goto('about:blank');
  await context.clearCookies();
  await page.goto(deepLink);
  await signInByMail(page, email);
  await page.waitForURL(deepLink);
  await page.getByRole('heading', { name: 'Environments', level: 1 }).waitFor();

  await page.goto(`${url}/account`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${url}/sign-in?signed-out`);

  const key = await administer('key', 'create', '--user', 'ada', '--description', 'laptop');
  const cli = (...args: string[]) => waymark(proxy, directory, key, ...args);
  await cli('flow', 'create', 'payments');
  const flow = JSON.parse(await cli('api', 'GET', '/flows/{org}/payments')) as { html_url: string };
  expect(flow.html_url).toBe(`${url}/waymark/flows/payments`);
  const answer = await context.request.get(`${url}/api/v2/environments/waymark?page=1&per_page=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(await answer.json()).toMatchObject({
    _links: { self: { href: `${url}/api/v2/environments/waymark?page=1&per_page=1` } },
  });

  // Without a session the first answer is 401, which browsers log.
  expect(troubles.filter((text) => !text.includes('401')).join('\n')).toBe('');
  // Browsers ask for it by themselves where a page names no icon.
  expect(proxy.outside.filter((path) => path !== '/favicon.ico')).toEqual([]);
});
