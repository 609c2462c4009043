import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { listDeadLetters, replayDeadLetter } from './dead-letters.ts';
import type { Processor } from './processor.ts';

const api = await startApi();
const applied: string[] = [];
const slow: Processor = {
  name: 'slow',
  begins: 'now',
  async apply(db, entries) {
    applied.push(...entries.map(({ type }) => type));
    // Long enough for every other replay to find the letter meanwhile.
    await sql`select pg_sleep(0.2)`.execute(db);
  },
};

async function givenLetter() {
  await sql`
    insert into dead_letter (org_id, processor, seq, recorded_at, type, error, failed_at)
    select org_id, 'slow', seq, recorded_at, type, 'failed', now() from journal
    where org_id = ${api.org.id} order by seq limit 1`.execute(api.db);
  const [letter] = await listDeadLetters(api.db, 1);
  if (!letter) throw new Error('there is no dead letter');
  return letter;
}

beforeEach(async () => {
  applied.length = 0;
  await api.db.deleteFrom('dead_letter').where('org_id', '=', api.org.id).execute();
});

it('is replayed once when several operators replay it at the same time', async () => {
  const letter = await givenLetter();
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => replayDeadLetter(api.db, letter, slow)));
  expect(outcomes.sort()).toEqual(['gone', 'gone', 'gone', 'replayed']);
  expect(applied).toHaveLength(1);
  expect(await listDeadLetters(api.db, 1)).toEqual([]);
});

it('can be replayed again when a replay fails', async () => {
  const letter = await givenLetter();
  const failing: Processor = {
    name: 'slow',
    begins: 'now',
    apply: () => Promise.reject(new Error('failed again')),
  };
  await expect(replayDeadLetter(api.db, letter, failing)).rejects.toThrow('failed again');
  expect(await replayDeadLetter(api.db, letter, slow)).toBe('replayed');
});
