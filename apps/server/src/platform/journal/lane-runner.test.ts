import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { noLog, startApi } from '../../../test/harness.ts';
import { startLanes } from './lane-runner.ts';
import { laneOf } from './lanes.ts';
import { sequenceAll } from './pass.ts';
import type { Processor } from './processor.ts';

const HOLDER = '00000000-0000-7000-8000-000000000002';
const ENTRIES = 40;

const api = await startApi();

async function record(no: number): Promise<void> {
  await sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, actor_digest, payload_digest)
    values (${api.org.id}, gen_random_uuid(), now(), 'test.numbered', 1, 'system', ${String(no)}, 'test',
      gen_random_uuid(), ${no}, sha256(''), sha256(''))`.execute(api.db);
  await sequenceAll(api.db);
}

it('takes entries that come in quick succession together', async () => {
  await record(0);
  const lane = laneOf(api.org.id);
  const turns: number[][] = [];
  await api.db.insertInto('processor_position').values({ processor: 'paced', lane, holder: HOLDER }).execute();
  const processor: Processor = {
    name: 'paced',
    begins: 'at the first entry',
    apply: async (_, entries) =>
      void turns.push(
        entries.filter(({ type }) => type === 'test.numbered').map(({ actor_name }) => Number(actor_name)),
      ),
  };
  const runner = startLanes({ db: api.db, processor, lanes: [lane], holder: HOLDER }, noLog);
  onTestFinished(() => runner.stop());

  const startedAt = performance.now();
  for (let no = 1; no <= ENTRIES; no++) {
    await record(no);
    runner.wake();
    await sleep(5);
  }
  await expect
    .poll(() => {
      runner.wake();
      return turns.flat().at(-1);
    })
    .toBe(ENTRIES);

  expect(turns.flat()).toEqual(Array.from({ length: ENTRIES + 1 }, (_, no) => no));
  // One at the start, one each time that the lane has rested, and the last.
  expect(turns.length).toBeLessThanOrEqual((performance.now() - startedAt) / 200 + 2);
});
