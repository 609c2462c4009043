import { expect, it, onTestFinished } from 'vitest';
import type { Db } from '../../src/platform/db/db.ts';
import { countHeldUp } from '../given/held-up.ts';
import { findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg, givenOrgs, readiness } from './installation.ts';
import { putFlow, startLoad } from './load.ts';

/** Much shorter than connections stay open, and longer than a busy machine takes. */
const PROMPTLY_MS = 20_000;

it('finishes the requests it has begun when it is stopped', async () => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  const api = await site.startApi();
  await putFlow(site.url, org, { name: 'payments', description: 'before' });
  const letGo = await holdFlows(site.db);
  const asked = Array.from({ length: 12 }, (_, i) => putFlow(site.url, org, { name: 'payments', description: `${i}` }));
  // The connections of an org that is alone; the other requests wait for one.
  await expect.poll(() => countHeldUp(site.db)).toBe(8);

  const stopped = api.stop();
  await expect.poll(() => readiness(site.url)).toMatch(/503|refused/);
  letGo();
  const begin = performance.now();
  const answers = await Promise.all(asked.map(async (answer) => [(await answer).status, await (await answer).text()]));

  expect(answers).toEqual(Array.from({ length: 12 }, () => [200, `"Flow 'payments' updated"`]));
  expect(await stopped).toEqual({ code: 0, signal: null });
  expect(performance.now() - begin).toBeLessThan(PROMPTLY_MS);
  expect(api.stderr()).toBe('');
});

it('ends the event streams of its listeners when it is stopped', async () => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  const [api] = await Promise.all([site.startApi(), site.startWorker()]);
  const events = await fetch(`${site.url}/api/v2/events/${org.name}`, {
    headers: { authorization: `Bearer ${org.key}`, 'last-event-id': '0' },
  });
  let heard = '';
  const listening = events.body?.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write: (text) => {
        heard += text;
      },
    }),
  );
  await expect.poll(() => heard).toContain('event: org.created');

  const begin = performance.now();
  const exit = await api.stop();
  await listening;

  expect(exit).toEqual({ code: 0, signal: null });
  expect(performance.now() - begin).toBeLessThan(PROMPTLY_MS);
  expect(api.log('error')).toEqual([]);
});

it('lets the next worker continue at once when a worker is stopped under load', async () => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 4);
  const [, worker] = await Promise.all([site.startApi(), site.startWorker()]);
  const load = startLoad({ url: site.url, orgs, callers: 4 });
  await expect.poll(() => load.flows.length).toBeGreaterThan(200);

  const begin = performance.now();
  const exit = await worker.stop();
  const took = performance.now() - begin;
  const holders = await site.db.selectFrom('processor_position').select('holder').distinct().execute();
  await site.startWorker();
  await load.stop();
  await untilProcessed(site.db);

  expect(exit).toEqual({ code: 0, signal: null });
  expect(took).toBeLessThan(PROMPTLY_MS);
  expect(worker.stderr()).toBe('');
  expect(holders).toEqual([{ holder: null }]);
  expect(await findFaults(site.db, load.flows)).toEqual([]);
});

/** Locks all flows, so that changes of them wait. Returns a function that releases them. */
async function holdFlows(db: Db): Promise<() => void> {
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: locked, resolve: onLocked } = Promise.withResolvers<void>();
  void db.transaction().execute(async (db) => {
    await db.selectFrom('flow').select('id').forUpdate().execute();
    onLocked();
    await released;
  });
  await locked;
  onTestFinished(() => letGo());
  return letGo;
}
