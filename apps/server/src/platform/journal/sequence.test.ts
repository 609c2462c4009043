import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { type Db, openDb } from '../db/db.ts';
import { compareNextWindow } from './comparison.ts';
import { loadSequence, Replaced, type Sequence, sequenceAll, takePass } from './pass.ts';

const WRITING_MS = isFull ? 60_000 : 3_000;

const api = await startApi();
await sql`create table test_subject (id uuid primary key, seq bigint not null default 0)`.execute(api.owner);
await sql`grant select, insert, update on test_subject to waymark_server`.execute(api.owner);

interface Written {
  readonly id: string;
  readonly org: string;
  readonly subject: string;
  readonly subjectSeq: number;
  /** How many entries had been acknowledged before its number was drawn. */
  readonly after: number;
}

const entry = (org: string, id: string, subject: string, subjectSeq: number) => sql`
  insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
    subject_seq, actor_digest, payload_digest)
  values (${org}, ${id}, now(), 'test.written', 1, 'system', 'test', 'test', ${subject}, ${subjectSeq}, sha256(''),
    sha256(''))`;

/** Draws numbers that are used by nobody. */
async function waste(db: Db, org: string, subject: string): Promise<void> {
  if (randomInt(8) === 0) {
    await sql`savepoint tried`.execute(db);
    await entry(org, randomUUID(), subject, 0).execute(db);
    await sql`rollback to savepoint tried`.execute(db);
  }
  if (randomInt(8) === 0) await sql`select next_entry_seq()`.execute(db);
}

/** Changes a subject and records it, with delays before and after; one in twelve is rolled back. */
async function writeOnce(db: Db, org: string, subject: string, acknowledged: readonly Written[]): Promise<Written> {
  const { rows } = await sql<{ seq: number }>`
    update test_subject set seq = seq + 1 where id = ${subject} returning seq`.execute(db);
  if (randomInt(4) === 0) await sleep(randomInt(20));
  await waste(db, org, subject);
  const written = { id: randomUUID(), org, subject, subjectSeq: rows[0]?.seq ?? 0, after: acknowledged.length };
  await entry(org, written.id, subject, written.subjectSeq).execute(db);
  if (randomInt(10) === 0) await sleep(randomInt(40));
  if (randomInt(12) === 0) throw new RolledBack();
  return written;
}

class RolledBack extends Error {}

/** Writes, beside others that change the same subjects. */
async function write(
  db: Db,
  orgs: readonly TestOrg[],
  subjects: readonly string[],
  acknowledged: Written[],
  until: number,
) {
  while (performance.now() < until) {
    const org = orgs[randomInt(orgs.length)]?.id ?? '';
    const subject = subjects[randomInt(subjects.length)] ?? '';
    try {
      acknowledged.push(await db.transaction().execute((db) => writeOnce(db, org, subject, acknowledged)));
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
    }
  }
}

/** Passes without end, beside another that does the same: whoever is too late starts again from the tables. */
async function contend(db: Db, limit: number, signal: AbortSignal): Promise<number> {
  let replaced = 0;
  let sequence: Sequence | undefined;
  while (!signal.aborted) {
    try {
      sequence ??= await loadSequence(db);
      const passed = await takePass(db, sequence, limit);
      sequence = passed.sequence;
      if (!passed.isMoreVisible) await sleep(randomInt(4));
    } catch (error) {
      if (!(error instanceof Replaced)) throw error;
      replaced++;
      sequence = undefined;
    }
  }
  return replaced;
}

interface Place {
  readonly entry_id: string;
  readonly org_id: string;
  readonly index: number;
}

/** Everything that was lost, doubled or out of order. */
async function findFaults(acknowledged: readonly Written[], orgs: readonly TestOrg[]): Promise<string[]> {
  const { rows } = await sql<Place>`
    select org_id, entry_id, index from ledger where org_id = any(${orgs.map(({ id }) => id)}::uuid[])
    order by org_id, index`.execute(api.db);
  const indexes = new Map(rows.map(({ entry_id, index }) => [entry_id, index]));
  return [
    ...(indexes.size === rows.length ? [] : ['an entry is in the ledger twice']),
    ...acknowledged.filter(({ id }) => !indexes.has(id)).map(({ id }) => `${id} is lost`),
    ...gapsOf(rows),
    ...subjectsOutOfOrder(acknowledged, indexes),
    ...orgs.flatMap(({ id }) => effectsBeforeCauses(acknowledged, id, indexes)),
  ];
}

function gapsOf(rows: readonly Place[]): string[] {
  return [...Map.groupBy(rows, ({ org_id }) => org_id)].flatMap(([org, ofOrg]) =>
    ofOrg.flatMap(({ index }, place) => (index === place ? [] : [`${index} of ${org} is at place ${place}`])),
  );
}

function subjectsOutOfOrder(acknowledged: readonly Written[], indexes: ReadonlyMap<string, number>): string[] {
  const bySubject = Map.groupBy(acknowledged, ({ org, subject }) => `${org} ${subject}`);
  return [...bySubject].flatMap(([subject, ofSubject]) => {
    const inOrder = ofSubject.toSorted((a, b) => (indexes.get(a.id) ?? 0) - (indexes.get(b.id) ?? 0));
    const isWrong = inOrder.some(({ subjectSeq }, i) => subjectSeq <= (inOrder[i - 1]?.subjectSeq ?? 0));
    return isWrong ? [`${subject} is out of order: ${inOrder.map(({ subjectSeq }) => subjectSeq)}`] : [];
  });
}

/** What was acknowledged before a number was drawn has a lower index in the same org. */
function effectsBeforeCauses(
  acknowledged: readonly Written[],
  org: string,
  indexes: ReadonlyMap<string, number>,
): string[] {
  const highestOfFirst = [-1];
  for (const { id, org: of } of acknowledged) {
    highestOfFirst.push(Math.max(highestOfFirst.at(-1) ?? -1, of === org ? (indexes.get(id) ?? -1) : -1));
  }
  return acknowledged
    .filter(({ id, org: of, after }) => of === org && (highestOfFirst[after] ?? -1) > (indexes.get(id) ?? 0))
    .map(({ id }) => `${id} is before its cause`);
}

describe.each([3, 6, 32])('%i random writers', (writers) => {
  it('beside two sequencers lose, double and misorder nothing', async ({ annotate }) => {
    const orgs = await Promise.all([1, 2, 3].map((n) => api.givenOrg(`random-${writers}-${n}`)));
    await sequenceAll(api.db);
    const db = openDb({ url: api.url, poolSize: writers, statementTimeoutMs: 30_000 }, noLog);
    const subjects = Array.from({ length: Math.ceil(writers / 2) }, () => randomUUID());
    for (const id of subjects) await sql`insert into test_subject (id) values (${id})`.execute(api.owner);
    const acknowledged: Written[] = [];
    const stopping = new AbortController();
    const sequencers = [contend(api.db, 100, stopping.signal), contend(api.db, 3 + randomInt(20), stopping.signal)];
    const until = performance.now() + WRITING_MS;
    const long = db.transaction().execute(async (db) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
      await sql`select next_entry_seq()`.execute(db);
      await sleep(WRITING_MS / 2);
    });
    await Promise.all(Array.from({ length: writers - 1 }, () => write(db, orgs, subjects, acknowledged, until)));
    await long;
    stopping.abort();
    const replaced = (await Promise.all(sequencers)).reduce((sum, each) => sum + each, 0);
    await sequenceAll(api.db);
    await db.destroy();

    expect(acknowledged.length).toBeGreaterThan(writers);
    expect(await findFaults(acknowledged, orgs)).toEqual([]);
    await untilNoGap();
    expect(await compareNextWindow(api.db)).toBe(0);
    await annotate(`${acknowledged.length} acknowledged, ${replaced} times replaced`);
  });
});

it('sequences others while a transaction that has drawn a number stays open, and that one when it commits', async () => {
  const org = await api.givenOrg('patient');
  await sequenceAll(api.db);
  const drawn = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const [late, early] = [randomUUID(), randomUUID()];
  const open = api.db.transaction().execute(async (db) => {
    await entry(org.id, late, randomUUID(), 1).execute(db);
    drawn.resolve();
    await ending.promise;
  });
  await drawn.promise;
  await entry(org.id, early, randomUUID(), 1).execute(api.db);
  await sequenceAll(api.db);
  expect(await lastOf(org)).toBe(early);
  expect(await api.db.selectFrom('journal_gap').selectAll().execute()).toHaveLength(1);
  ending.resolve();
  await open;
  await sequenceAll(api.db);
  expect(await lastOf(org)).toBe(late);
  await untilNoGap();
});

it('sequences late what a fault has skipped, and says so', async () => {
  const org = await api.givenOrg('skipped');
  const skipped = randomUUID();
  await entry(org.id, skipped, randomUUID(), 1).execute(api.db);
  // A fault that nobody thought of: the high water has passed an entry that is in no gap.
  await sql`update sequencer set high_water = (select max(seq) from journal), compared_to = 0`.execute(api.owner);
  expect(await compareNextWindow(api.db)).toBeGreaterThan(0);
  await sequenceAll(api.db);
  expect(await lastOf(org)).toBe(skipped);
  expect(
    (await api.db.selectFrom('sequencer').select('found_late').executeTakeFirstOrThrow()).found_late,
  ).toBeGreaterThan(0);
  expect(await compareNextWindow(api.db)).toBe(0);
});

it('goes from one range of the journal and of the ledger to the next', async () => {
  const org = await api.givenOrg('crossing');
  await sequenceAll(api.db);
  const { rows } = await sql<{ journal_end: number; ledger_end: number }>`select * from ensure_ranges()`.execute(
    api.db,
  );
  const [{ journal_end, ledger_end } = { journal_end: 0, ledger_end: 0 }] = rows;
  await sql`select setval('journal_seq', ${journal_end - 40_000_000})`.execute(api.owner);
  await sql`update lane_head set position = ${ledger_end - 4_194_304 - 5}`.execute(api.owner);
  await sql`select setval('journal_seq', 33554432 - 5)`.execute(api.owner);
  const ids = Array.from({ length: 12 }, () => randomUUID());
  for (const id of ids) await entry(org.id, id, randomUUID(), 1).execute(api.db);
  await sequenceAll(api.db);
  const ledger = await sql<{ entry_id: string; journal: string; ledger: string }>`
    select entry_id, journal.tableoid::regclass::text as journal, ledger.tableoid::regclass::text as ledger
    from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${org.id} order by index desc limit 12`.execute(api.owner);
  const found = ledger.rows.toReversed();
  expect(found.map(({ entry_id }) => entry_id)).toEqual(ids);
  expect(new Set(found.map(({ journal }) => journal)).size).toBe(2);
  expect(new Set(found.map(({ ledger }) => ledger)).size).toBe(2);
});

it('a server can neither choose the number of an entry nor change the order', async () => {
  const refused = { code: '42501' };
  const row = sql`select 1, org_id, gen_random_uuid(), now(), type, 1, 'system', 'x', 'x', id, 1, sha256('') from journal`;
  await expect(
    sql`insert into journal (seq, org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind,
      subject_id, subject_seq, payload_digest) ${row}`.execute(api.db),
  ).rejects.toMatchObject(refused);
  const orgId = sql`org_id = ${api.org.id}`;
  for (const change of [
    sql`update journal set type = 'x.y' where ${orgId}`,
    sql`delete from journal where ${orgId}`,
    sql`update ledger set index = 0 where ${orgId}`,
    sql`delete from ledger where ${orgId}`,
    sql`delete from ledger_0 where ${orgId}`,
    sql`select setval('journal_seq', 1)`,
  ]) {
    await expect(change.execute(api.db)).rejects.toMatchObject(refused);
  }
});

/** A transaction of another test may keep gaps open for a while: ids are those of the whole cluster. */
async function untilNoGap(): Promise<void> {
  const gaps = async () => {
    await sequenceAll(api.db);
    return api.db.selectFrom('journal_gap').selectAll().execute();
  };
  await expect.poll(gaps).toEqual([]);
}

async function lastOf(org: TestOrg): Promise<string | undefined> {
  const { rows } = await sql<{ entry_id: string }>`
    select entry_id from ledger where org_id = ${org.id} order by index desc limit 1`.execute(api.db);
  return rows[0]?.entry_id;
}
