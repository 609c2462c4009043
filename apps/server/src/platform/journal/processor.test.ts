import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenTurns } from '../../../test/given/turns.ts';
import { startApi } from '../../../test/harness.ts';
import { sequenceAll } from './pass.ts';
import type { Processor } from './processor.ts';

const ENTRIES = 500;

const api = await startApi();

/** Entries of one org, and so of one lane, numbered from 1 in order. */
async function givenEntries(): Promise<void> {
  await sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, actor_digest, payload_digest)
    select ${api.org.id}, gen_random_uuid(), now(), 'test.numbered', 1, 'system', no::text, 'test', gen_random_uuid(), no,
      sha256(''), sha256('')
    from generate_series(1, ${ENTRIES}) as no`.execute(api.db);
}

await sequenceAll(api.db);

async function givenReader(name: string, apply: (numbers: readonly number[]) => void) {
  const processor: Processor = {
    name,
    begins: 'now',
    async apply(_, entries) {
      apply(entries.map((entry) => Number(entry.actor_name)));
    },
  };
  return givenTurns(api, processor);
}

it.for([1, 50, 250, 500])('finds a poisoned entry at place %i of 500 in O(log n) tries', async (poisoned) => {
  let calls = 0;
  const applied: number[] = [];
  const { untilDone } = await givenReader(`poisoned-at-${poisoned}`, (numbers) => {
    if (numbers.some(Number.isNaN)) return;
    calls += 1;
    if (numbers.includes(poisoned)) throw new Error('no stomach for it');
    applied.push(...numbers);
  });

  await givenEntries();
  await untilDone();

  const others = Array.from({ length: ENTRIES }, (_, i) => i + 1).filter((number) => number !== poisoned);
  expect(applied).toEqual(others);
  const letters = await sql<{ actor_name: string }>`
    select actor_name from dead_letter join journal using (org_id, seq)
    where org_id = ${api.org.id} and processor = ${`poisoned-at-${poisoned}`}`.execute(api.db);
  expect(letters.rows).toEqual([{ actor_name: String(poisoned) }]);
  // One failure and one success at each of the 9 levels, and two more attempts of the entry alone.
  expect(calls).toBeLessThanOrEqual(1 + 2 * 9 + 2);
});

it('passes entries by that were processed before their org was copied, and buries none of them', async () => {
  const applied: number[] = [];
  let calls = 0;
  const { untilDone } = await givenReader('imported', (numbers) => {
    calls += 1;
    if (numbers.includes(400)) throw new Error('no stomach for it');
    applied.push(...numbers);
  });
  await givenEntries();
  await sequenceAll(api.db);
  await sql`
    update journal set is_imported = true
    where org_id = ${api.org.id} and seq <= (select max(seq) - 200 from journal)`.execute(api.owner);

  await untilDone();

  expect(applied).toEqual(Array.from({ length: 200 }, (_, i) => i + 301).filter((number) => number !== 400));
  expect(calls).toBeLessThanOrEqual(1 + 2 * 9 + 2);
  const { rows } = await sql<{ lag: number }>`
    select max(head.position - reached.position) as lag from lane_head as head
    join processor_position as reached using (lane) where processor = 'imported'`.execute(api.db);
  expect(rows).toEqual([{ lag: 0 }]);
});
