import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Db, openDb } from '../../src/platform/db/db.ts';
import { compareNextWindow } from '../../src/platform/journal/comparison.ts';
import { loadSequence, sequenceAll, takePass } from '../../src/platform/journal/pass.ts';
import { noLog } from '../harness.ts';
import { givenPostgres } from './private-services.ts';
import { withShadows } from './shadowed.ts';

/**
 * Faults planted in a real database. Each must lose or misorder an entry, or nothing here shows that the rule against it
 * is needed. They need a cluster of their own: transactions of others, and their ids, would hide a loss.
 */
const { url } = await givenPostgres(afterAll, { autovacuum: 'off' });
const db = open(url);
afterAll(() => db.destroy());

const GATE = 1;
const LIMIT = 1_000;
const ORG = randomUUID();
const SUBJECT = randomUUID();

await sql`create table test_subject (id uuid primary key, seq bigint not null)`.execute(db);
await sql`create schema early`.execute(db);

beforeEach(async () => {
  await sequenceAll(db);
  await sequenceAll(db);
  await sql`truncate journal, ledger, ledger_head, test_subject`.execute(db);
  await sql`insert into test_subject (id, seq) values (${SUBJECT}, 0)`.execute(db);
});

function open(url: string): Db {
  return openDb({ url, poolSize: 8, statementTimeoutMs: 30_000 }, noLog);
}

/** A transaction that the test takes through its steps. */
interface Writer {
  readonly pid: number;
  readonly db: Db;
  commit(): Promise<void>;
}

async function begin(): Promise<Writer> {
  const begun = Promise.withResolvers<{ pid: number; db: Db }>();
  const ending = Promise.withResolvers<void>();
  const ended = db.transaction().execute(async (db) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    begun.resolve({ pid: rows[0]?.pid ?? 0, db });
    await ending.promise;
  });
  ended.catch(begun.reject);
  const { pid, db: inTransaction } = await begun.promise;
  return {
    pid,
    db: inTransaction,
    commit() {
      ending.resolve();
      return ended;
    },
  };
}

const drawId = ({ db }: Writer) => sql`select pg_current_xact_id()`.execute(db);

const columns = sql`org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id, subject_seq,
  actor_digest, payload_digest`;
const values = sql`${ORG}::uuid, gen_random_uuid(), now(), 'test.written', 1, 'system', 'test', 'test', ${SUBJECT}::uuid`;

/** Writes entries as the product does: their numbers are the default of the column. */
async function write({ db }: { db: Db }, entries = 1): Promise<void> {
  await sql`
    insert into journal (${columns}) select ${values}, n, sha256(''), sha256('')
    from generate_series(1, ${entries}::int) as n`.execute(db);
}

async function untilItWaits({ pid }: Writer): Promise<void> {
  const isWaiting = async () => {
    const { rows } = await sql<{ is_waiting: boolean }>`
      select wait_event_type = 'Lock' as is_waiting from pg_stat_activity where pid = ${pid}`.execute(db);
    return rows[0]?.is_waiting;
  };
  await expect.poll(isWaiting, { interval: 10 }).toBe(true);
}

/** What is in the journal, and has no place in the order however often it is looked for. */
async function countLost(sequencer: Db = db): Promise<number> {
  for (let pass = 1; pass <= 3; pass++) await takePass(sequencer, await loadSequence(sequencer), LIMIT);
  const { rows } = await sql<{ lost: number }>`
    select (select count(*) from journal) - (select count(*) from ledger) as lost`.execute(db);
  return rows[0]?.lost ?? Number.NaN;
}

/** The comparison finds what is lost, and has it sequenced late. */
async function expectFoundLate(count: number): Promise<void> {
  expect(await compareNextWindow(db)).toBe(count);
  expect(await countLost()).toBe(0);
}

const pass = async (sequencer: Db, limit = LIMIT) => takePass(sequencer, await loadSequence(sequencer), limit);

describe('a gap is noticed with an id', () => {
  /** A transaction with a lower number than one that is visible, and a higher id than all that have ended. */
  async function lose(sequencer: Db): Promise<number> {
    const [first, late] = [await begin(), await begin()];
    await drawId(first);
    await write(late);
    await write(first);
    await first.commit();
    await pass(sequencer);
    await pass(sequencer);
    await late.commit();
    return countLost(sequencer);
  }

  it('that is drawn after the read: nothing is lost', async () => {
    expect(await lose(db)).toBe(0);
  });

  it('that is the end of the snapshot: an entry is lost', async () => {
    await sql`
      create function early.pg_current_xact_id() returns xid8 language sql
        return pg_snapshot_xmax(pg_current_snapshot())`.execute(db);
    const sequencer = open(withShadows(url, 'early'));
    onTestFinished(() => sequencer.destroy());
    expect(await lose(sequencer)).toBe(1);
    await expectFoundLate(1);
  });
});

describe('a writer draws', () => {
  /** One writer is held after it has drawn its number, while five others commit higher ones. */
  async function lose(): Promise<number> {
    const gate = await begin();
    await sql`select pg_advisory_xact_lock(${GATE})`.execute(gate.db);
    const held = await begin();
    await sql`set local test.gate = 'closed'`.execute(held.db);
    const written = write(held);
    await untilItWaits(held);
    for (let others = 1; others <= 5; others++) await write({ db });
    await pass(db);
    await pass(db);
    await gate.commit();
    await written;
    await held.commit();
    return countLost();
  }

  const numberFunction = (beforeNumber: string) => sql`
    create or replace function next_entry_seq() returns bigint language plpgsql as ${sql.lit(`
      declare
        drawn bigint;
      begin
        ${beforeNumber}
        drawn := nextval('journal_seq');
        if current_setting('test.gate', true) = 'closed' then
          perform pg_advisory_xact_lock(${GATE});
        end if;
        return drawn;
      end`)}`;

  it('its id before its number: nothing is lost', async () => {
    await numberFunction('perform pg_current_xact_id();').execute(db);
    expect(await lose()).toBe(0);
  });

  it('its id after its number: an entry is lost', async () => {
    await numberFunction('').execute(db);
    onTestFinished(async () => {
      await numberFunction('perform pg_current_xact_id();').execute(db);
    });
    expect(await lose()).toBe(1);
    await expectFoundLate(1);
  });
});

describe('a pass that has reached its limit', () => {
  async function lose(limit: number): Promise<number> {
    const late = await begin();
    await write(late, 3);
    await write({ db });
    await pass(db);
    await late.commit();
    await pass(db, limit);
    return countLost();
  }

  it('forgets no gap: nothing is lost', async () => {
    expect(await lose(2)).toBe(0);
  });

  it('and forgets gaps: an entry is lost', async () => {
    // A limit that PostgreSQL understands, and that no count of entries is equal to.
    expect(await lose('2' as unknown as number)).toBe(1);
    await expectFoundLate(1);
  });
});

describe('a number is drawn', () => {
  /** The statement of one writer waits for the subject that another one is changing. */
  async function misorder(changeAndRecord: ReturnType<typeof sql>): Promise<readonly number[]> {
    const [first, second] = [await begin(), await begin()];
    await sql`update test_subject set seq = 1 where id = ${SUBJECT}`.execute(first.db);
    const changed = changeAndRecord.execute(second.db);
    await untilItWaits(second);
    await write(first);
    await first.commit();
    await changed;
    await second.commit();
    expect(await countLost()).toBe(0);
    const { rows } = await sql<{ subject_seq: number }>`
      select subject_seq from ledger join journal on journal.org_id = ledger.org_id and seq = entry_seq
      order by index`.execute(db);
    return rows.map(({ subject_seq }) => subject_seq);
  }

  it('as the default of the column: the subject is in order', async () => {
    const order = await misorder(sql`
      with changed as (update test_subject set seq = seq + 1 where id = ${SUBJECT} returning seq as subject_seq)
      insert into journal (${columns}) select ${values}, subject_seq, sha256(''), sha256('') from changed`);
    expect(order).toEqual([1, 2]);
  });

  it('in a CTE, before a lock is waited for: the subject is out of order', async () => {
    const order = await misorder(sql`
      with number as materialized (select next_entry_seq() as drawn),
      changed as (
        update test_subject set seq = seq + 1 from number where id = ${SUBJECT} returning seq as subject_seq, drawn)
      insert into journal (seq, ${columns}) select drawn, ${values}, subject_seq, sha256(''), sha256('') from changed`);
    expect(order).toEqual([2, 1]);
  });
});
