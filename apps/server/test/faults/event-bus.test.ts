import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startNats, stopNats } from '../../../../tools/services/nats.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs } from './installation.ts';
import { startLoad } from './load.ts';
import { givenNats } from './private-services.ts';
import { runCommand } from './processes.ts';

const LOAD_MS = 3_000;

interface Received {
  readonly id: string;
  readonly source: string;
  readonly index: number;
  readonly life: number;
  readonly type: string;
  readonly subject: string;
}

/** A durable consumer in a process of its own. Events that come again are known by their ids. */
function startConsumer(url: string, stream: string) {
  const events = new Map<string, Received>();
  let again = 0;
  let text = '';
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'event-consumer.mjs'), new URL(url).host, stream, 'siem'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as Received;
      if (events.has(event.id)) again++;
      events.set(event.id, event);
    }
  });
  onTestFinished(() => void child.kill());
  return { events, timesAgain: () => again };
}

/** Entries that the consumer does not have, and indexes that are not those of the ledger. */
async function differences(
  db: Db,
  region: string,
  stream: string,
  events: ReadonlyMap<string, Received>,
): Promise<string[]> {
  const { rows } = await sql<{ org_id: string; index: number; lane: number; entry_id: string }>`
    select org_id, index, lane, entry_id from ledger`.execute(db);
  return rows.flatMap(({ org_id, index, lane, entry_id }) => {
    const event = events.get(entry_id);
    const subject = `${stream}.${region}.events.${lane}.${org_id}`;
    const is = event && event.index === index && event.source === `/${region}/${org_id}` && event.subject === subject;
    return is ? [] : [`${entry_id}: ${JSON.stringify(event)}`];
  });
}

it('brings every entry to a durable consumer of another system, when workers are killed and the stream is wiped', async ({
  annotate,
}) => {
  const nats = await givenNats();
  const site = await givenInstallation({ natsUrl: nats.url });
  const orgs = await givenOrgs(site.ctx, 4);
  const [, worker] = await Promise.all([site.startApi(), site.startWorker()]);
  const consumer = startConsumer(nats.url, site.stream.name);
  const load = startLoad({ url: site.url, orgs, callers: 3 });
  await expect.poll(() => consumer.events.size).toBeGreaterThan(0);
  await sleep(LOAD_MS);
  await worker.kill();
  await site.startWorker();
  await sleep(LOAD_MS);
  await load.stop();
  await untilProcessed(site.db);
  const missing = () => differences(site.db, 'eu', site.stream.name, consumer.events);
  await expect.poll(missing, { interval: 250 }).toEqual([]);

  // The stream and its consumers are gone. What was published before comes again on command only.
  await stopNats(nats.server);
  consumer.events.clear();
  await startNats({ ...nats.server, clean: true });
  const { code, stdout } = await runCommand(['events', 'republish'], site.env);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ events will be published again/)]);
  await expect.poll(missing, { interval: 250 }).toEqual([]);
  expect(await findFaults(site.db, load.flows)).toEqual([]);
  await annotate(`${consumer.events.size} events, ${consumer.timesAgain()} of them more than once`);
});

it('says what is wrong with a time to publish from', async () => {
  const site = await givenInstallation();
  const { code, stderr } = await runCommand(['events', 'republish', '--since', 'yesterday'], site.env);
  expect(code).toBe(1);
  expect(stderr).toContain('--since');
});
