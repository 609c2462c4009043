import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { type ActivityFilter, listActivityPage, MAX_SCANNED } from '../../src/features/activity/activity.reads.ts';
import { countEntries, listActorsNamed } from '../../src/features/activity/activity-count.reads.ts';
import { parseTypes } from '../../src/features/activity/type-filter.ts';
import { bucketsOf } from '../../src/platform/buckets.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import { noLog, startApi } from '../harness.ts';
import { rowsRead } from './plans/costly.ts';
import { openExplainer } from './plans/explained.ts';

/** Entries of pipelines over three months, and one action of a person, long ago. */
const ENTRIES = isFull ? 1_000_000 : 100_000;
const PAGE = 50;
/** Fewer than in production, as the entries are. */
const MOST_COUNTED = 1_000;

const api = await startApi();
const explainer = openExplainer(api.ownerUrl);

beforeAll(async () => {
  await insert('policy.created', 'policy', 1, 89);
  for (const days of [60, 30, 0]) await insert('trail.begun', 'trail', Math.floor(ENTRIES / 3), days);
  await sql`vacuum analyze journal`.execute(api.owner);
}, 600_000);

afterAll(() => explainer.close());

async function insert(type: string, kind: string, count: number, daysAgo: number): Promise<void> {
  await tick(daysAgo, 1);
  await sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, payload, nonce, payload_digest)
    select ${api.org.id}, gen_random_uuid(), now() - make_interval(days => ${daysAgo}), ${type}, 1, 'system', 'ci',
      ${kind}, gen_random_uuid(), 1, '{}', decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
    from generate_series(1, ${count}::int)`.execute(api.db);
  await tick(daysAgo, 0);
}

/** As the sequencer does it each minute. */
async function tick(daysAgo: number, minutes: number): Promise<void> {
  await sql`
    insert into journal_tick (at, seq)
    select now() - make_interval(days => ${daysAgo}, mins => ${minutes}), max(seq) from journal
    where org_id = ${api.org.id}`.execute(api.db);
}

const EVERYTHING: ActivityFilter = {
  ...{ actor: undefined, types: undefined, from: undefined, to: undefined, subjectKind: undefined },
};
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

/** What the index of the rest knows is found at once, everything else within the entries read for a page. */
const asked: [string, number, ActivityFilter, number][] = [
  ['everything', 5 * PAGE, EVERYTHING, PAGE],
  ['what is frequent', 5 * PAGE, { ...EVERYTHING, types: parseTypes(['trail']) }, PAGE],
  ['what is seldom', 100, { ...EVERYTHING, types: parseTypes(['policy']) }, 1],
  ['what is about something seldom', 100, { ...EVERYTHING, subjectKind: 'policy' }, 1],
  ['what somebody else did', 2 * MAX_SCANNED + 100, { ...EVERYTHING, actor: 'ada' }, 0],
  ['everything of 30 days', 5 * PAGE, { ...EVERYTHING, from: daysAgo(31), to: daysAgo(-1) }, PAGE],
  ['what is long ago', 5 * PAGE, { ...EVERYTHING, to: daysAgo(80) }, 1],
];

describe(`with ${ENTRIES.toLocaleString('en')} entries`, () => {
  it.each(asked)('%s: at most %i rows are read', async (_, most, filter, found) => {
    const explained = await explainer.explain(async (db) => {
      const page = await listActivityPage(systemCtx(db, api.org.id, 'tests', noLog), filter, PAGE, undefined);
      expect(page.entries).toHaveLength(found);
    });
    expect(explained.map(({ plan }) => rowsRead(plan)).filter((rows) => rows > most)).toEqual([]);
  });

  it.each([
    ['everything of 30 days', 2 * MOST_COUNTED + 100, EVERYTHING, 30, MOST_COUNTED],
    ['what is seldom in 90 days', 100, { ...EVERYTHING, types: parseTypes(['policy']) }, 90, 1],
    ['what somebody else did', 2 * MOST_COUNTED + 100, { ...EVERYTHING, actor: 'ada' }, 90, 0],
  ] as [string, number, ActivityFilter, number, number][])(
    'a count of %s reads at most %i rows',
    async (_, most, filter, days, found) => {
      const explained = await explainer.explain(async (db) => {
        const ctx = systemCtx(db, api.org.id, 'tests', noLog);
        const { counts } = await countEntries(ctx, filter, bucketsOf(daysAgo(days), new Date(), 'day'), MOST_COUNTED);
        expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(found);
      });
      expect(explained.map(({ plan }) => rowsRead(plan)).filter((rows) => rows > most)).toEqual([]);
    },
  );

  it('a list of actors reads only the newest entries', async () => {
    const explained = await explainer.explain(async (db) => {
      const actors = await listActorsNamed(systemCtx(db, api.org.id, 'tests', noLog), 'C', PAGE);
      expect(actors).toMatchObject([{ name: 'ci' }]);
    });
    expect(explained.map(({ plan }) => rowsRead(plan)).filter((rows) => rows > 2 * MAX_SCANNED)).toEqual([]);
  });
});
