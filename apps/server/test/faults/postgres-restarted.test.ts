import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startPostgres, stopPostgres } from '../../../../tools/services/postgres.ts';
import { isFull } from '../../../../tools/test-size.ts';
import { countEntries, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg, givenOrgs, readiness } from './installation.ts';
import { putFlow, startLoad } from './load.ts';
import { givenProxyTo } from './lossy-proxy.ts';
import { givenPostgres } from './private-services.ts';
import { startServer } from './processes.ts';

const RESTARTS = isFull ? 10 : 2;
const OUTAGE_MS = isFull ? 5_000 : 1_500;

const stops = [
  { how: 'properly', mode: 'fast' },
  { how: 'as by a crash', mode: 'immediate' },
] as const;

it.for(stops)(
  `recovers by itself when PostgreSQL is stopped $how ${RESTARTS} times under load`,
  async ({ mode }, { annotate }) => {
    const postgres = await givenPostgres();
    const site = await givenInstallation({ databaseUrl: postgres.url });
    const orgs = await givenOrgs(site.ctx, 4);
    const servers = await Promise.all([site.startApi(), site.startWorker()]);
    const load = startLoad({ url: site.url, orgs, callers: 6 });

    const seen: string[] = [];
    for (let restart = 1; restart <= RESTARTS; restart++) {
      await sleep(1_500);
      await stopPostgres(postgres.cluster, mode);
      seen.push(await readiness(site.url));
      await sleep(OUTAGE_MS);
      seen.push(await readiness(site.url));
      await startPostgres(postgres.cluster);
      await expect.poll(() => readiness(site.url)).toBe('200');
    }
    await sleep(1_500);
    await load.stop();
    expect(servers.map((server) => server.isRunning())).toEqual([true, true]);
    await untilProcessed(site.db);

    expect(await findFaults(site.db, load.flows)).toEqual([]);
    expect(Object.keys(load.answers).sort()).toEqual(['200', '201', '503']);
    expect(load).toMatchObject({ broken: 0, refused: 0 });
    expect(new Set(seen)).toEqual(new Set(['503']));
    for (const server of servers) {
      expect(server.log('error')).toEqual([]);
      expect(server.stderr()).toBe('');
    }
    await annotate(
      `${RESTARTS} restarts; ${load.flows.length} flows, ${await countEntries(site.db)} entries; ` +
        `answers ${JSON.stringify(load.answers)}, ${load.repeated} refused ones had been committed`,
    );
  },
);

it.for([
  { reason: 'its name cannot be resolved', host: 'database.invalid' },
  // Linux has no TCP route to this address.
  { reason: 'its network cannot be reached', host: '255.255.255.255' },
])('answers 503 while PostgreSQL is away because $reason', async ({ host }) => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  const env = { ...site.env, WAYMARK_DATABASE_URL: `postgres://waymark@${host}/waymark` };
  await startServer(['api'], env, async () => (await readiness(site.url)) === '503');

  const answer = await putFlow(site.url, org, { name: 'payments' });

  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
});

it('answers /ready in time when its connections to PostgreSQL stop responding', async () => {
  const site = await givenInstallation();
  const database = new URL(site.databaseUrl);
  const proxy = await givenProxyTo({ host: database.hostname, port: Number(database.port) });
  database.port = String(proxy.port);
  const env = { ...site.env, WAYMARK_DATABASE_URL: database.href };
  await startServer(['api'], env, async () => (await readiness(site.url)) === '200');

  proxy.swallow();
  const asked = performance.now();
  const answer = await fetch(`${site.url}/ready`);

  expect([answer.status, await answer.text()]).toEqual([
    503,
    expect.stringMatching(/^no database$|^the database does not respond$/),
  ]);
  // 3 seconds by its own clock; a busy machine adds to that, and a statement without a deadline would take 35.
  expect(performance.now() - asked).toBeLessThan(30_000);
  await expect.poll(() => readiness(site.url)).toBe('200');
});

// Takes as long as the server waits for an answer, about half a minute.
it.runIf(isFull)('recovers by itself when its connections to PostgreSQL stop responding', async ({ annotate }) => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 4);
  const database = new URL(site.databaseUrl);
  const proxy = await givenProxyTo({ host: database.hostname, port: Number(database.port) });
  database.port = String(proxy.port);
  const env = { ...site.env, WAYMARK_DATABASE_URL: database.href };
  const api = await startServer(['api'], env, async () => (await readiness(site.url)) === '200');
  const worker = await startServer(['worker'], env, (worker) => worker.log().includes('worker runs'));
  const load = startLoad({ url: site.url, orgs, callers: 20 });
  await sleep(2_000);

  proxy.swallow();
  const lostAt = performance.now();
  const before = load.flows.length;
  await expect.poll(() => load.flows.length - before, { timeout: 180_000, interval: 100 }).toBeGreaterThan(100);
  const recovered = Math.round(performance.now() - lostAt);
  await load.stop();
  await untilProcessed(site.db);

  expect(await findFaults(site.db, load.flows)).toEqual([]);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
  await annotate(
    `${load.flows.length} flows; recovered after ${recovered} ms; answers ${JSON.stringify(load.answers)}`,
  );
});
