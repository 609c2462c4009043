import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { flowActivity } from '../../src/features/flows/flow.processor.ts';
import { putFlow } from '../../src/features/flows/flow.service.ts';
import type { Db } from '../../src/platform/db/db.ts';
import type { LanePosition } from '../../src/platform/journal/pass.ts';
import type { Processor } from '../../src/platform/journal/processor.ts';
import { runProcessors } from '../../src/platform/journal/processors.ts';
import { runSequencer } from '../../src/platform/journal/sequencer.ts';
import { noLog } from '../harness.ts';
import { givenInstallation, givenOrg, type Installation } from './installation.ts';
import { runCommand } from './processes.ts';

const LATER = new Date(Date.now() + 60_000);
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
  // Entries after the creation, whose effect shows.
  for (const name of FLOWS) await putFlow({ ...site.ctx, org: org.id, now: () => LATER }, { name, description: name });

  runWorkerWith(site, {
    ...flowActivity,
    async apply(db, entries) {
      const names = await flowNames(db);
      for (const entry of entries) {
        const name = names.get(entry.subject_id) ?? '';
        if (entries.length === 1) attempts[name] = (attempts[name] ?? 0) + 1;
        await POISON[name]?.(db);
      }
      await flowActivity.apply(db, entries);
    },
  });
  await expect.poll(() => activeFlows(site.db)).toEqual(['after', 'before', 'between']);
  // Three for each of its two entries.
  expect(attempts).toMatchObject({ thrown: 6, refused: 6, unprintable: 6 });

  const listed = await runCommand(['dead-letters', 'list'], site.env);
  expect(listed.stdout.split('\n')).toEqual([
    ...['created', 'updated'].flatMap((type) =>
      ['no stomach for it', 'division by zero', 'no place for .* in a text'].map((error) =>
        expect.stringMatching(new RegExp(` flow-activity {2}flow\\.${type} {2}seq \\d+ {2}${error}$`)),
      ),
    ),
    '6 waiting',
    '',
  ]);

  expect(await runCommand(['dead-letters', 'replay'], site.env)).toEqual({
    code: 0,
    stdout: '6 replayed\n',
    stderr: '',
  });
  expect((await runCommand(['dead-letters', 'list'], site.env)).stdout).toBe('0 waiting\n');
  expect(await activeFlows(site.db)).toEqual([...FLOWS].sort());
});

it('says which processor is gone when a dead letter cannot be replayed', async () => {
  const site = await givenInstallation();
  await givenOrg(site.ctx, 'acme');
  await sql`
    insert into dead_letter (org_id, processor, seq, recorded_at, type, error, failed_at)
    select org_id, 'gone', seq, recorded_at, type, 'no stomach for it', now() from journal limit 1`.execute(site.db);

  expect(await runCommand(['dead-letters', 'replay'], site.env)).toEqual({
    code: 1,
    stdout: '',
    stderr: "This version has no processor 'gone'\n",
  });
});

function runWorkerWith(site: Installation, processor: Processor): void {
  const stopping = new AbortController();
  const parts = { db: site.db, stream: { current: () => undefined }, log: noLog, signal: stopping.signal };
  let wake: (lanes: readonly LanePosition[]) => void = () => undefined;
  const listen = (onSequenced: typeof wake) => {
    wake = onSequenced;
    return () => undefined;
  };
  const running = Promise.all([
    runSequencer({ ...parts, onSequenced: ({ lanes }) => wake(lanes) }),
    runProcessors({ ...parts, listen, processors: [processor] }),
  ]);
  onTestFinished(async () => {
    stopping.abort();
    await running;
  });
}

async function flowNames(db: Db): Promise<Map<string, string>> {
  const flows = await db.selectFrom('flow').select(['id', 'name']).execute();
  return new Map(flows.map((flow) => [flow.id, flow.name]));
}

async function activeFlows(db: Db): Promise<string[]> {
  const flows = await db
    .selectFrom('flow')
    .select('name')
    .where('latest_activity_at', '=', LATER)
    .orderBy('name')
    .execute();
  return flows.map((flow) => flow.name);
}
