import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { feedProcessor } from '../../src/features/activity/feed/feed.processor.ts';
import { putFlow } from '../../src/features/flows/flow.service.ts';
import type { Db } from '../../src/platform/db/db.ts';
import type { Processor } from '../../src/platform/journal/processor.ts';
import { runProcessors } from '../../src/platform/journal/processors.ts';
import { runRelay } from '../../src/platform/journal/relay.ts';
import { connectNats } from '../../src/platform/journal/stream.ts';
import { noLog } from '../harness.ts';
import { givenInstallation, givenOrg, type Installation } from './installation.ts';
import { runCommand } from './processes.ts';

const FLOWS = ['before', 'thrown', 'between', 'refused', 'unprintable', 'after'];

/** What goes wrong with the entry of each poisoned flow. */
const POISON: Record<string, (db: Db) => Promise<unknown>> = {
  thrown: () => Promise.reject(new Error('no stomach for it')),
  refused: (db) => sql`select 1 / 0`.execute(db),
  unprintable: () => Promise.reject(new Error('no place for \u0000 in a text')),
};

it('puts aside what a processor cannot digest, goes on with the neighbours, and replays it on demand', async () => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  for (const name of FLOWS) await putFlow({ ...site.ctx, org: org.id }, { name });
  const attempts: Record<string, number> = {};
  const feed = feedProcessor(() => undefined);

  await runWorkerWith(site, {
    name: feed.name,
    async apply(db, entries) {
      const names = await flowNames(db);
      for (const entry of entries) {
        const name = names.get(entry.subject_id) ?? '';
        if (entries.length === 1) attempts[name] = (attempts[name] ?? 0) + 1;
        await POISON[name]?.(db);
      }
      await feed.apply(db, entries);
    },
  });
  await expect.poll(() => fedFlows(site.db)).toEqual(['before', 'between', 'after']);
  expect(attempts).toMatchObject({ thrown: 3, refused: 3, unprintable: 3 });

  const listed = await runCommand(['dead-letters', 'list'], site.env);
  expect(listed.stdout.split('\n')).toEqual([
    expect.stringMatching(/ feed {2}flow\.created {2}seq \d+ {2}no stomach for it$/),
    expect.stringMatching(/ feed {2}flow\.created {2}seq \d+ {2}division by zero$/),
    expect.stringMatching(/ feed {2}flow\.created {2}seq \d+ {2}no place for .* in a text$/),
    '3 waiting',
    '',
  ]);

  expect(await runCommand(['dead-letters', 'replay'], site.env)).toEqual({
    code: 0,
    stdout: '3 replayed\n',
    stderr: '',
  });
  expect((await runCommand(['dead-letters', 'list'], site.env)).stdout).toBe('0 waiting\n');
  expect(await fedFlows(site.db)).toEqual(['before', 'between', 'after', 'thrown', 'refused', 'unprintable']);
});

it('says which processor is gone when a dead letter cannot be replayed', async () => {
  const site = await givenInstallation();
  await givenOrg(site.ctx, 'acme');
  await sql`
    insert into dead_letter (org_id, processor, xid, seq, recorded_at, type, error, failed_at)
    select org_id, 'gone', xid, seq, recorded_at, type, 'no stomach for it', now() from journal limit 1`.execute(
    site.db,
  );

  expect(await runCommand(['dead-letters', 'replay'], site.env)).toEqual({
    code: 1,
    stdout: '',
    stderr: "This version has no processor 'gone'\n",
  });
});

async function runWorkerWith(site: Installation, processor: Processor): Promise<void> {
  const nats = await connectNats(site.stream, 'faults', noLog);
  const stopping = new AbortController();
  const stream = { current: () => ({ nats, stream: site.stream }) };
  const parts = { db: site.db, stream, log: noLog, signal: stopping.signal };
  const running = Promise.all([runRelay(parts), runProcessors({ ...parts, processors: [processor] })]);
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await nats.close();
  });
}

async function flowNames(db: Db): Promise<Map<string, string>> {
  const flows = await db.selectFrom('flow').select(['id', 'name']).execute();
  return new Map(flows.map((flow) => [flow.id, flow.name]));
}

async function fedFlows(db: Db): Promise<string[]> {
  const flows = await db
    .selectFrom('feed_event')
    .innerJoin('flow', (join) =>
      join.onRef('flow.org_id', '=', 'feed_event.org_id').onRef('flow.id', '=', 'feed_event.subject_id'),
    )
    .select('flow.name')
    .orderBy('feed_event.position')
    .execute();
  return flows.map((flow) => flow.name);
}
