import { randomUUID } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, expect, inject, it } from 'vitest';
import { createDatabase, serverUrlOf } from '../../../test/databases.ts';
import { noLog } from '../../../test/harness.ts';
import { findFeedHeads, listFeeds } from '../../features/activity/feed/feed.store.ts';
import { openDb } from '../db/db.ts';
import { statementNames } from '../db/statement-names.ts';
import { compareNextWindow } from './comparison.ts';
import './event-publisher.ts';
import { planOnce } from './leader.ts';
import { declareLanes } from './leases.ts';
import { loadSequence, sequenceAll, takePass } from './pass.ts';
import { takeTurn } from './processor.ts';

/** Orgs, each in a lane of its own. */
const ORGS = 8;
/** Positions in a partition of the ledger; in one of the journal are as many numbers for each org. */
const PER_LANE = 50;
const PER_PARTITION = PER_LANE * ORGS;
const TIMES = 5;

const { url } = await createDatabase(inject('templateDatabase'));
const owner = openDb({ url, poolSize: 1, statementTimeoutMs: 0 }, noLog);
/** One connection, so that everything it does is counted. */
const db = openDb({ url: serverUrlOf(url), poolSize: 1, statementTimeoutMs: 30_000 }, noLog);
afterAll(async () => {
  await db.destroy();
  await owner.destroy();
});

const orgs = Array.from({ length: ORGS }, (_, lane) => randomUUID().slice(0, -2) + lane.toString(16).padStart(2, '0'));
const HOLDER = randomUUID();
const processor = { name: 'idle', begins: 'now', apply: async () => undefined } as const;

async function countPartitions(name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_inherits join pg_class on oid = inhrelid
    where inhparent = ${name}::regclass and relname not like '%default'`.execute(owner);
  return rows[0]?.count ?? 0;
}

async function makeSmallPartitions(): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits join pg_class on oid = inhrelid
    where inhparent in ('journal'::regclass, 'ledger'::regclass) and relname not like '%default'`.execute(owner);
  for (const { name } of rows) await sql`drop table ${sql.table(name)}`.execute(owner);
  await ensureRanges();
}

const ensureRanges = () => sql`select ensure_ranges(${PER_PARTITION}, ${PER_LANE})`.execute(owner);

/** An entry for each org, that many times. */
const write = (times: number) =>
  sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, actor_digest, payload_digest)
    select org, gen_random_uuid(), now(), 'test.written', 1, 'system', 'test', 'test', org, n, sha256(''), sha256('')
    from generate_series(1, ${times}::int) as n, unnest(${orgs}::uuid[]) as org`.execute(db);

/** Up to the end of a partition: its indexes have a level more when it is half full. */
async function fillUp(): Promise<void> {
  const { rows } = await sql<{ position: number }>`select max(position) as position from lane_head`.execute(db);
  await write(PER_LANE - ((rows[0]?.position ?? 0) % PER_LANE));
  await sequenceAll(db);
  await ensureRanges();
}

async function fillTo(partitions: number): Promise<void> {
  await fillUp();
  while ((await countPartitions('journal')) < partitions) {
    await write(PER_LANE);
    await sequenceAll(db);
    await ensureRanges();
  }
  expect(await countPartitions('ledger')).toBe(partitions);
  while ((await compareNextWindow(db)) > 0);
  // What is updated in place grows with the number of passes, not with that of partitions.
  await sql`vacuum full sequencer, lane_head, ledger_head, processor_position`.execute(owner);
  await sql`vacuum analyze`.execute(owner);
}

/** Blocks that were found in memory or read, those of planning included. */
async function countBlocks(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ blocks: number }>`
    select blks_hit + blks_read as blocks from pg_stat_database where datname = current_database()`.execute(db);
  return rows[0]?.blocks ?? 0;
}

/** The fewest of some times: PostgreSQL plans, splits pages and looks after the tables at times of its own. */
async function blocksOf(work: () => Promise<unknown>, prepare: () => Promise<unknown> = async () => undefined) {
  const counts: number[] = [];
  for (let time = -3; time < TIMES; time++) {
    await prepare();
    const before = await countBlocks();
    const empty = (await countBlocks()) - before;
    await work();
    if (time >= 0) counts.push((await countBlocks()) - before - 2 * empty);
    else await countBlocks();
  }
  // Autovacuum of this database counts as well: what it reads beside the empty look makes less than nothing.
  return Math.min(...counts.filter((count) => count >= 0));
}

async function runDeclared(name: string, values: readonly unknown[]): Promise<void> {
  const [text] = [...statementNames].find(([, each]) => each === name) ?? [];
  if (text === undefined) throw new Error(`no statement is called ${name}`);
  await db.executeQuery(CompiledQuery.raw(text, [...values]));
}

async function measure(): Promise<Record<string, number>> {
  const org = orgs[3] ?? '';
  const [head = { index: 0 }] = await findFeedHeads(db, [org]);
  const { rows: lanes } = await sql<{ lane: number; position: number }>`select * from lane_head order by lane`.execute(
    db,
  );
  await sql`update processor_position as reached set position = head.position
    from lane_head as head where head.lane = reached.lane`.execute(db);
  let sequence = await loadSequence(db);
  const pass = async () => {
    ({ sequence } = await takePass(db, sequence, 1_000));
  };
  const turn = () => takeTurn({ db, processor, lanes: [1, 3, 5, 7], holder: HOLDER });
  const publish = () =>
    runDeclared('list_unpublished', [lanes.map(({ lane }) => lane), lanes.map(({ position }) => position)]);
  const asLeader = async (work: () => Promise<unknown>, prepare?: () => Promise<unknown>) => {
    await planOnce(db);
    const blocks = await blocksOf(work, prepare);
    await sql`reset plan_cache_mode`.execute(db);
    return blocks;
  };
  return {
    'an idle pass': await asLeader(pass),
    'an idle comparison': await asLeader(() => compareNextWindow(db)),
    'an idle turn': await blocksOf(turn),
    'an idle look for events': await asLeader(publish),
    'the head of a feed': await blocksOf(() => findFeedHeads(db, [org])),
    'the end of a feed': await blocksOf(() => listFeeds(db, [{ org, index: head.index }])),
    'the last entries of a feed': await blocksOf(() => listFeeds(db, [{ org, index: head.index - 5 }])),
    'a pass': await asLeader(pass, () => write(1)),
    'a turn': await blocksOf(turn, async () => {
      await write(1);
      await pass();
    }),
    'a comparison': await asLeader(
      () => compareNextWindow(db),
      async () => {
        await compareNextWindow(db);
        await write(1);
        await pass();
        await pass();
      },
    ),
  };
}

/** What reads more blocks the more partitions there are: each is planned, or has no bound that leaves partitions out. */
const GROWING = ['a turn', 'the end of a feed', 'the last entries of a feed', 'a comparison'];
/** Partitions that are empty or full may be read by an index or not, and their indexes have a level more or less. */
const SPARE = 8;

it('reads as many blocks with 75 partitions of journal and ledger as with 6', async ({ annotate }) => {
  await makeSmallPartitions();
  await declareLanes(db, [processor]);
  await sql`update processor_position set holder = ${HOLDER}`.execute(db);
  await fillTo(6);
  const few = await measure();
  await fillTo(75);
  const many = await measure();
  await annotate(
    Object.entries(few)
      .map(([what, blocks]) => `${what}: ${blocks} with 6, ${many[what]} with 75`)
      .join('; '),
  );
  const grown = Object.entries(few).filter(([what, blocks]) => (many[what] ?? 0) > 1.1 * blocks + SPARE);
  expect(GROWING).toEqual(expect.arrayContaining(grown.map(([what]) => what)));
});
