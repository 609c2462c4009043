import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { openDb } from '../../src/platform/db/db.ts';
import { noLog } from '../harness.ts';
import { countSequenced, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, type Installation } from './installation.ts';
import { takeNote } from './notes.ts';

const ORGS = isFull ? 10_000 : 300;
const CONNECTIONS = 16;

it(`sequences and processes the entries of ${ORGS} orgs that write once, all at the same time`, async ({
  annotate,
}) => {
  const site = await givenInstallation();
  const orgs = await insertOrgs(site);
  await site.startWorker();
  await untilProcessed(site.db);
  const db = openDb(
    { url: site.env['WAYMARK_DATABASE_URL'] ?? '', poolSize: CONNECTIONS, statementTimeoutMs: 0 },
    noLog,
  );
  onTestFinished(() => db.destroy());
  const before = await passes(site);

  const startedAt = performance.now();
  const left = [...orgs];
  const write = async () => {
    for (let org = left.pop(); org !== undefined; org = left.pop()) await takeNote({ ...site.ctx, db, org }, 'once');
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, write));
  const writtenAt = performance.now();
  await expect.poll(() => countSequenced(site.db), { interval: 10 }).toBe(ORGS);
  const sequencedAt = performance.now();
  await untilProcessed(site.db);
  const processedAt = performance.now();

  expect(await findFaults(site.db, [])).toEqual([]);
  const heads = await site.db.selectFrom('ledger_head').select(['org_id', 'size']).execute();
  expect(heads.map(({ org_id }) => org_id).sort()).toEqual([...orgs].sort());
  expect(new Set(heads.map(({ size }) => size))).toEqual(new Set([1]));
  const { sequenced, pass, found_late } = await passes(site);
  expect({ sequenced, found_late }).toEqual({ sequenced: ORGS, found_late: 0 });
  const ms = (from: number, to: number) => `${Math.round(to - from)} ms`;
  await annotate(
    `written in ${ms(startedAt, writtenAt)}, sequenced ${ms(writtenAt, sequencedAt)} after that in ` +
      `${pass - before.pass} passes, processed after ${ms(startedAt, processedAt)}`,
  );
});

/** As many as that are not created one after another. */
async function insertOrgs({ db }: Installation): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into org (id, name, kind, created_at)
    select gen_random_uuid(), 'org-' || n, 'shared', now() from generate_series(1, ${ORGS}::int) as n
    returning id`.execute(db);
  await sql`insert into org_storage (org_id) select id from org on conflict do nothing`.execute(db);
  return rows.map(({ id }) => id);
}

function passes({ db }: Installation) {
  return db.selectFrom('sequencer').select(['pass', 'sequenced', 'found_late']).executeTakeFirstOrThrow();
}
