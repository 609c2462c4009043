import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamEvents } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgres, stopPostgres } from '../../../../tools/services/postgres.ts';
import { isFull } from '../../../../tools/test-size.ts';
import { type Db, openDb } from '../../src/platform/db/db.ts';
import { readerOf, type TestStream } from '../given/event-streams.ts';
import { noLog } from '../harness.ts';
import { countEntries, countSequenced, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs, type Installation, type Org } from './installation.ts';
import { type KnownFlow, startLoad } from './load.ts';
import { givenMovable, lifeOf } from './movable.ts';
import { takeNote } from './notes.ts';
import { givenCopyOf, givenPostgres } from './private-services.ts';

const LOAD_MS = isFull ? 30_000 : 1_500;

it('goes on by itself after a point-in-time restore, without what came later', async ({ annotate }) => {
  const archive = await givenArchive();
  const first = await givenPostgres(undefined, {
    archive_mode: 'on',
    archive_command: `cp "%p" "${archive}/%f"`,
  });
  const site = await givenInstallation({ databaseUrl: first.url });
  const orgs = await givenOrgs(site.ctx, 4);
  const { proxy, worker, untilRefused, untilReady } = await givenMovable(site);
  const load = startLoad({ url: site.url, orgs, callers: 4 });
  await sleep(LOAD_MS);
  const copy = await givenCopyOf(first.cluster, 'recovery', {
    restore_command: `cp "${archive}/%f" "%p"`,
    recovery_target_name: 'wanted',
    recovery_target_action: 'promote',
  });
  await sleep(LOAD_MS);

  // At the target a transaction has drawn a number and will never commit, and entries wait for the sequencer.
  const open = await givenOpenTransaction(site, orgs);
  await expect.poll(() => countGaps(site.db)).toBeGreaterThan(0);
  worker.freeze();
  await expect.poll(async () => (await countEntries(site.db)) - (await countSequenced(site.db))).toBeGreaterThan(5);
  const known = [...load.flows];
  const target = await createRestorePoint(site.db, 'wanted');
  worker.thaw();

  const atTarget = await headsOf(site.db);
  await expect.poll(() => isAheadOf(site.db, atTarget), { interval: 100 }).toBe(true);
  await load.stop();
  await open.commit();
  await untilProcessed(site.db);
  const lost = { life: await lifeOf(site.db), heads: await headsOf(site.db), flows: load.flows.length };
  const [org] = orgs;
  if (!org) throw new Error('no org');
  const lastSeen = `${lost.life}.${lost.heads.get(org.id)}`;
  const listening = await openStream(site, org, lastSeen);
  worker.freeze();
  await untilArchived(site.db, target);
  await startPostgres(copy.cluster);
  const db = openAt(copy.url);
  await untilPromoted(db);
  const restored = await listFlows(db);
  const highest = await highestSeq(db);
  for (const flow of known) expect(restored).toContainEqual(flow);
  expect(restored.length).toBeLessThan(lost.flows);

  proxy.redirect({ host: '127.0.0.1', port: copy.cluster.port });

  await untilRefused(org);
  expect(await highestSeq(db)).toBe(highest);
  worker.thaw();
  await untilReady();
  const later = startLoad({ url: site.url, orgs, callers: 4, prefix: 'later' });
  await sleep(LOAD_MS);
  await later.stop();
  await untilProcessed(db);

  expect(await findFaults(db, [...restored, ...later.flows])).toEqual([]);
  expect(await lifeOf(db)).toBe(lost.life + 1);
  expect(await timelineOf(db)).toBe(2);
  expect(await foundLate(db)).toBe(0);
  await expect.poll(() => countGaps(db)).toBe(0);
  // What came before has the same index in both lives, but no client can know that.
  for (const after of [lastSeen, `${lost.life}.0`]) {
    const { next } = await openStream(site, org, after);
    expect(await next()).toMatchObject({ event: 'reset', id: expect.stringMatching(`^${lost.life + 1}\\.`) });
  }
  expect(await listening.next()).toBeUndefined();
  await annotate(
    `${lost.flows} flows, ${restored.length} of them restored, ${later.flows.length} later; ` +
      `${await countEntries(db)} entries; the lost life had come to index ${lost.heads.get(org.id)}, ` +
      `the target to ${atTarget.get(org.id)}`,
  );
});

it('goes on by itself when a replica is promoted, with everything that was acknowledged', async ({ annotate }) => {
  const first = await givenPostgres();
  const site = await givenInstallation({ databaseUrl: first.url });
  const orgs = await givenOrgs(site.ctx, 4);
  const [org] = orgs;
  if (!org) throw new Error('no org');
  const { proxy, worker, untilRefused, untilReady } = await givenMovable(site);
  const replica = await givenCopyOf(first.cluster, 'standby', {
    primary_conninfo: `host=127.0.0.1 port=${first.cluster.port} user=waymark`,
  });
  await startPostgres(replica.cluster);
  const db = openAt(replica.url);
  await untilSynchronous(site.db);
  const load = startLoad({ url: site.url, orgs, callers: 4 });
  await givenOpenTransaction(site, orgs);
  await sleep(LOAD_MS);
  const published = await lifeOf(site.db);
  const before = load.flows.length;
  worker.freeze();
  await expect.poll(async () => (await countEntries(site.db)) - (await countSequenced(site.db))).toBeGreaterThan(5);

  await stopPostgres(first.cluster, 'immediate');
  await sql`select pg_promote()`.execute(db);
  await untilPromoted(db);
  const highest = await highestSeq(db);
  proxy.redirect({ host: '127.0.0.1', port: replica.cluster.port });

  await untilRefused(org);
  expect(await highestSeq(db)).toBe(highest);
  worker.thaw();
  await untilReady();
  await sleep(LOAD_MS);
  await load.stop();
  await untilProcessed(db);

  expect(await findFaults(db, load.flows)).toEqual([]);
  expect(load.flows.length).toBeGreaterThan(before);
  expect(await lifeOf(db)).toBe(published + 1);
  expect(await timelineOf(db)).toBe(2);
  expect(await foundLate(db)).toBe(0);
  await expect.poll(() => countGaps(db)).toBe(0);
  const { next } = await openStream(site, org, `${published}.0`);
  expect(await next()).toMatchObject({ event: 'reset', id: expect.stringMatching(`^${published + 1}\\.`) });
  await annotate(
    `${before} flows before, ${load.flows.length - before} after; ${await countEntries(db)} entries; ` +
      `answers ${JSON.stringify(load.answers)}, ${load.repeated} refused ones had been committed`,
  );
});

/** A folder that the user of the server may write to. */
async function givenArchive(): Promise<string> {
  const archive = await mkdtemp(join(tmpdir(), 'waymark-archive-'));
  onTestFinished(() => rm(archive, { recursive: true }));
  await chmod(archive, 0o777);
  return archive;
}

/** It has drawn a number, and the sequencer goes past it. */
async function givenOpenTransaction({ ctx, db }: Installation, orgs: readonly Org[]) {
  const [drawn, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = db.transaction().execute(async (db) => {
    // Otherwise PostgreSQL ends it after 10 seconds without a statement.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
    await takeNote({ ...ctx, db, org: orgs[0]?.id ?? '' }, 'open', () => {
      drawn.resolve();
      return ending.promise;
    });
  });
  // One whose cluster crashes fails.
  ended.catch(() => undefined);
  onTestFinished(() => ending.resolve());
  await drawn.promise;
  return {
    commit: () => {
      ending.resolve();
      return ended;
    },
  };
}

async function createRestorePoint(db: Db, name: string): Promise<string> {
  const { rows } = await sql<{
    file: string;
  }>`select pg_walfile_name(pg_create_restore_point(${name})) as file`.execute(db);
  return rows[0]?.file ?? '';
}

async function untilArchived(db: Db, file: string): Promise<void> {
  await sql`select pg_switch_wal()`.execute(db);
  const isArchived = async () => {
    const { rows } = await sql<{ is_archived: boolean }>`
      select coalesce(last_archived_wal >= ${file}, false) as is_archived from pg_stat_archiver`.execute(db);
    return rows[0]?.is_archived;
  };
  await expect.poll(isArchived).toBe(true);
}

/** From now on a commit waits for the replica. */
async function untilSynchronous(db: Db): Promise<void> {
  await sql`alter system set synchronous_standby_names = '*'`.execute(db);
  await sql`select pg_reload_conf()`.execute(db);
  const states = async () => {
    const { rows } = await sql<{ sync_state: string }>`select sync_state from pg_stat_replication`.execute(db);
    return rows.map(({ sync_state }) => sync_state);
  };
  await expect.poll(states).toEqual(['sync']);
}

async function untilPromoted(db: Db): Promise<void> {
  const isFollowing = async () => {
    const { rows } = await sql<{ is_following: boolean }>`select pg_is_in_recovery() as is_following`.execute(db);
    return rows[0]?.is_following;
  };
  await expect.poll(isFollowing).toBe(false);
}

function openAt(url: string): Db {
  const db = openDb({ url, poolSize: 4, statementTimeoutMs: 30_000 }, noLog);
  onTestFinished(() => db.destroy());
  return db;
}

function listFlows(db: Db): Promise<KnownFlow[]> {
  return db.selectFrom('flow').select(['org_id', 'name', 'revision']).execute();
}

async function headsOf(db: Db): Promise<ReadonlyMap<string, number>> {
  const heads = await db.selectFrom('ledger_head').select(['org_id', 'size']).execute();
  return new Map(heads.map(({ org_id, size }) => [org_id, size - 1]));
}

/** Whether every org has got further. */
async function isAheadOf(db: Db, earlier: ReadonlyMap<string, number>): Promise<boolean> {
  const heads = await headsOf(db);
  return [...earlier].every(([org, index]) => (heads.get(org) ?? -1) > index + 5);
}

async function highestSeq(db: Db): Promise<number> {
  const { rows } = await sql<{ seq: number }>`select max(seq) as seq from journal`.execute(db);
  return rows[0]?.seq ?? 0;
}

async function countGaps(db: Db): Promise<number> {
  return (await db.selectFrom('journal_gap').selectAll().execute()).length;
}

async function foundLate(db: Db): Promise<number> {
  return (await db.selectFrom('sequencer').select('found_late').executeTakeFirstOrThrow()).found_late;
}

async function timelineOf(db: Db): Promise<number> {
  return (await db.selectFrom('sequencer').select('timeline').executeTakeFirstOrThrow()).timeline;
}

/** An event stream of a client that goes on after an event. */
async function openStream(site: Installation, org: Org, after: string): Promise<Pick<TestStream, 'next'>> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`${site.url}/api/v2${streamEvents.path.replace(':org', org.name)}`, {
    headers: { authorization: `Bearer ${org.key}`, 'last-event-id': after },
    signal: controller.signal,
  });
  expect(response.status).toBe(200);
  return { next: readerOf(response) };
}
