import { expect, it, onTestFinished } from 'vitest';
import { findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg, givenOrgs, type Installation, readiness } from './installation.ts';
import { putFlow, startLoad } from './load.ts';
import { lifeOf } from './movable.ts';
import { type ServerProcess, startServer } from './processes.ts';

/** API and worker in one process, with PostgreSQL and a directory, and without NATS. */
function startAll({ env, url }: Installation): Promise<ServerProcess> {
  const { WAYMARK_NATS_URL: _, WAYMARK_NATS_STREAM: __, ...rest } = env;
  return startServer(['all'], { ...rest, WAYMARK_LOG_LEVEL: 'warn' }, async () => (await readiness(url)) === '200');
}

it('serves, processes what was written, and reaches listeners without NATS', async () => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  const server = await startAll(site);
  // A stream that begins before the worker has recorded where the database is ends then.
  await expect.poll(() => lifeOf(site.db)).toBeGreaterThan(0);
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());
  const events = await fetch(`${site.url}/api/v2/events/${org.name}`, {
    headers: { authorization: `Bearer ${org.key}` },
    signal: stopped.signal,
  });
  let heard = '';
  const listening = events.body?.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write: (text) => {
        heard += text;
      },
    }),
  );
  expect((await putFlow(site.url, org, { name: 'web' })).status).toBe(201);
  await expect.poll(() => heard).toContain('event: flow.created');
  await untilProcessed(site.db);

  expect(await server.stop()).toEqual({ code: 0, signal: null });
  await listening;
  expect(server.log('error')).toEqual([]);
});

it('loses nothing when it is killed under load, and goes on where it was', async () => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 2);
  let server = await startAll(site);
  const load = startLoad({ url: site.url, orgs, callers: 2 });
  for (let kills = 1; kills <= 3; kills++) {
    await expect.poll(() => load.flows.length).toBeGreaterThan(kills * 50);
    await server.kill();
    server = await startAll(site);
  }
  await load.stop();
  await untilProcessed(site.db);

  expect(await findFaults(site.db, load.flows)).toEqual([]);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});
