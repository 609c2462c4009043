import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { countEntries, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs } from './installation.ts';
import { startLoad } from './load.ts';

const KILLS = isFull ? 200 : 6;

it(`keeps every acknowledged write once when servers are killed ${KILLS} times under load`, async ({ annotate }) => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 4);
  let api = await site.startApi();
  let worker = await site.startWorker();
  const load = startLoad({ url: site.url, orgs, callers: 6 });

  for (let kill = 1; kill <= KILLS; kill++) {
    await sleep(randomInt(10, 500));
    await api.kill();
    if (kill % 5 === 0) await worker.kill();
    [api, worker] = await Promise.all([site.startApi(), worker.isRunning() ? worker : site.startWorker()]);
  }
  await load.stop();
  await untilProcessed(site.db);

  expect(await findFaults(site.db, load.flows)).toEqual([]);
  expect(Object.keys(load.answers).sort()).toEqual(['200', '201']);
  expect(load.broken).toBeGreaterThan(0);
  await annotate(
    `${KILLS} kills; ${load.flows.length} flows, ${await countEntries(site.db)} entries; ` +
      `${load.broken} requests broken, ${load.repeated} of them had been committed`,
  );
});
