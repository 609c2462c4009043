import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startNats, stopNats } from '../../../../tools/services/nats.ts';
import { isFull } from '../../../../tools/test-size.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { countEntries, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg, givenOrgs } from './installation.ts';
import { putFlow, startLoad } from './load.ts';
import { givenNats } from './private-services.ts';

const OUTAGE_MS = isFull ? 30_000 : 3_000;

const losses = [
  { happens: 'is stopped and comes back with an empty disk', signal: 'SIGTERM', clean: true },
  { happens: 'is killed and comes back with its disk', signal: 'SIGKILL', clean: false },
  { happens: 'is killed and comes back with an empty disk', signal: 'SIGKILL', clean: true },
] as const;

it.for(losses)(
  'serves on, loses nothing and does nothing twice when JetStream $happens',
  async ({ signal, clean }, { annotate }) => {
    const nats = await givenNats();
    const site = await givenInstallation({ natsUrl: nats.url });
    const orgs = await givenOrgs(site.ctx, 4);
    const [api, worker] = await Promise.all([site.startApi(), site.startWorker()]);
    const load = startLoad({ url: site.url, orgs, callers: 4 });
    await expect.poll(() => load.flows.length).toBeGreaterThan(0);
    await sleep(2_000);

    await stopNats(nats.server, signal);
    const before = load.flows.length;
    await sleep(OUTAGE_MS);
    await expect.poll(() => load.flows.length).toBeGreaterThan(before);
    const during = load.flows.length - before;
    await expect.poll(() => countUnpublished(site.db)).toBeGreaterThan(0);
    await startNats({ ...nats.server, clean });
    const back = performance.now();
    await sleep(2_000);
    await load.stop();
    await untilProcessed(site.db);
    await expect.poll(() => countUnpublished(site.db)).toBe(0);
    const caughtUp = Math.round(performance.now() - back);

    expect(await findFaults(site.db, load.flows)).toEqual([]);
    expect(Object.keys(load.answers).sort()).toEqual(['200', '201']);
    expect(load).toMatchObject({ broken: 0, refused: 0 });
    for (const server of [api, worker]) {
      expect(server.isRunning()).toBe(true);
      expect(server.log('error')).toEqual([]);
      expect(server.stderr()).toBe('');
    }
    await annotate(
      `${OUTAGE_MS} ms without JetStream; ${load.flows.length} flows, ${during} of them meanwhile; ` +
        `${await countEntries(site.db)} entries; caught up ${caughtUp} ms after it was back`,
    );
  },
);

it('starts and serves while JetStream is down, and publishes later', async () => {
  const nats = await givenNats();
  const site = await givenInstallation({ natsUrl: nats.url });
  const org = await givenOrg(site.ctx, 'acme');
  await stopNats(nats.server);

  await site.startApi();
  const answer = await putFlow(site.url, org, { name: 'payments' });
  await startNats(nats.server);
  await site.startWorker();
  await untilProcessed(site.db);

  expect(answer.status).toBe(201);
  expect(await findFaults(site.db, [{ org_id: org.id, name: 'payments', revision: 1 }])).toEqual([]);
});

it('starts a worker and processes entries while NATS is away, and connects when it is back', async () => {
  const nats = await givenNats();
  const site = await givenInstallation({ natsUrl: nats.url });
  const org = await givenOrg(site.ctx, 'acme');
  await stopNats(nats.server);

  const [, worker] = await Promise.all([site.startApi(), site.startWorker()]);
  const answer = await putFlow(site.url, org, { name: 'payments' });
  await untilProcessed(site.db);
  await expect.poll(() => worker.log()).toContainEqual(expect.stringContaining('NATS is not reachable'));
  expect(worker.log()).not.toContain('event publisher leads');
  await startNats(nats.server);

  expect(answer.status).toBe(201);
  await expect
    .poll(() => worker.log(), { timeout: 600_000 })
    .toEqual(expect.arrayContaining(['event publisher leads']));
  await expect.poll(() => countUnpublished(site.db), { timeout: 600_000 }).toBe(0);
  expect(worker.log('error')).toEqual([]);
});

async function countUnpublished(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ entries: number }>`
    select sum(head.position - cursor.position)::integer as entries
    from event_cursor as cursor join lane_head as head using (lane)`.execute(db);
  return rows[0]?.entries;
}
