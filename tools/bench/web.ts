import { chromium, type Page } from 'playwright-core';
import { openDb } from '../../apps/server/src/platform/db/db.ts';
import { createLogger } from '../../apps/server/src/platform/log.ts';
import { buildWeb } from '../demo/build-web.ts';
import { sessionCookie } from '../demo/session-cookie.ts';
import { type Installation, install } from './installation.ts';
import { median, print } from './rounds.ts';
import { countsIn, loadEnvironments, loadProvenance, runsOf, type Shape, settle } from './runtime/load.ts';
import { ROUNDS, setting } from './settings.ts';

const SLOWER = 4;
const LONG = 'long-1';
const CEILING_MS = 3_000;
const MAX_BYTES = 200 * 1024;

/** A screen, and the element that makes it usable. */
const SCREENS: Readonly<Record<string, readonly [path: string, shown: string]>> = {
  environments: ['/acme/environments', 'table tbody tr'],
  timeline: [`/acme/environments/${LONG}/timeline`, 'svg[role=img]'],
  snapshot: [`/acme/environments/${LONG}/snapshots/-1`, 'table tbody tr'],
};

interface Opened {
  readonly ms: number;
  /** The largest answer of the API, as it is before it is compressed. */
  readonly largestAnswer: number;
}

/** Measures how long three screens take until they are usable, in a throttled browser, on an org at its largest. */
export async function benchWeb(): Promise<boolean> {
  buildWeb();
  const installation = await install();
  try {
    load(installation);
    const server = await installation.start('api');
    try {
      const results = await measure(installation);
      print(JSON.stringify({ name: 'web', slower: SLOWER, results }));
      return Object.values(results).every(({ cold, bytes }) => cold <= CEILING_MS && bytes <= MAX_BYTES);
    } finally {
      await server.stop();
    }
  } finally {
    installation.remove();
  }
}

function load(installation: Installation): void {
  installation.admin('user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
  const provenance = { flows: 100, trails: 2_000 };
  const slots = setting('BENCH_ARTIFACTS', 2_000);
  const long: Shape = {
    prefix: 'long',
    environments: 1,
    slots,
    snapshots: setting('BENCH_SNAPSHOTS', 500_000),
    replaced: 2,
  };
  const environments = setting('BENCH_ENVIRONMENTS', 5_000) - 1;
  const others: Shape = { prefix: 'other', environments, slots: 4, snapshots: 3, replaced: 1 };
  loadProvenance(installation, provenance);
  loadEnvironments(installation, long, provenance);
  loadEnvironments(installation, others, provenance, runsOf(long));
  settle(installation);
  print(countsIn(installation, ['environment', 'snapshot', 'running']));
}

async function measure(installation: Installation) {
  const cookie = await cookieOf(installation);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const results: Record<string, { cold: number; again: number; bytes: number }> = {};
  try {
    for (const [name, [path, shown]] of Object.entries(SCREENS)) {
      const cold: Opened[] = [];
      const again: Opened[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const profile = await browser.newContext({ baseURL: installation.url });
        await profile.addCookies([cookie]);
        const page = await profile.newPage();
        const control = await profile.newCDPSession(page);
        await control.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
        cold.push(await open(page, path, shown));
        again.push(await open(page, path, shown));
        await profile.close();
      }
      results[name] = {
        cold: Math.round(median(cold.map(({ ms }) => ms))),
        again: Math.round(median(again.map(({ ms }) => ms))),
        bytes: Math.max(...cold.map(({ largestAnswer }) => largestAnswer)),
      };
      print(`${name.padEnd(14)} ${JSON.stringify(results[name])}`);
    }
  } finally {
    await browser.close();
  }
  return results;
}

async function open(page: Page, path: string, shown: string): Promise<Opened> {
  const answers: Promise<number>[] = [];
  const count = (response: { url(): string; body(): Promise<Buffer> }) => {
    const isAnswer = response.url().includes('/api/v2/') && !response.url().includes('/events/');
    if (isAnswer)
      answers.push(
        response
          .body()
          .then(({ length }) => length)
          .catch(() => 0),
      );
  };
  page.on('response', count);
  const started = performance.now();
  await page.goto(path, { waitUntil: 'commit' });
  await page.locator(`main ${shown}`).first().waitFor();
  const ms = performance.now() - started;
  page.off('response', count);
  return { ms, largestAnswer: Math.max(0, ...(await Promise.all(answers))) };
}

async function cookieOf({ databaseUrl, url }: Installation) {
  const db = openDb({ url: databaseUrl, poolSize: 2, statementTimeoutMs: 30_000 }, createLogger('silent'));
  try {
    return await sessionCookie(db, url, 'ada');
  } finally {
    await db.destroy();
  }
}
