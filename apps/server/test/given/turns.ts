import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';
import { declareLanes } from '../../src/platform/journal/leases.ts';
import { sequenceAll } from '../../src/platform/journal/pass.ts';
import { type Processor, takeTurn } from '../../src/platform/journal/processor.ts';
import type { TestApi } from '../harness.ts';

const HOLDER = '00000000-0000-7000-8000-000000000001';
const POLL_MS = 50;

export interface Turns {
  /** Puts the journal in order and gives it to the processor; returns how many lanes are not finished. */
  take(): Promise<number>;
  /** Repeats that while others write. */
  untilDone(): Promise<void>;
}

/** Holds all lanes for a processor, as a worker does. */
export async function givenTurns(api: TestApi, processor: Processor): Promise<Turns> {
  await declareLanes(api.db, [processor]);
  await api.db
    .updateTable('processor_position')
    .set({ holder: HOLDER })
    .where('processor', '=', processor.name)
    .execute();
  const lanesBehind = async () => {
    await sequenceAll(api.db);
    const { rows } = await sql<{ lane: number }>`
      select lane from processor_position as reached join lane_head as head using (lane)
      where processor = ${processor.name} and head.position > reached.position`.execute(api.db);
    return rows.map((row) => row.lane);
  };
  const take = async () => {
    const lanes = await lanesBehind();
    const turn = { db: api.db, processor, lanes, holder: HOLDER };
    if (lanes.length > 0) while ((await takeTurn(turn)).kind === 'more');
    return (await lanesBehind()).length;
  };
  return { take, untilDone: () => expect.poll(take, { interval: 5 }).toBe(0) };
}

/** One turn takes only a few of the due items. Returns how many all turns took. */
export async function takeAll(turn: () => Promise<number>): Promise<number> {
  let all = 0;
  for (let taken = -1; taken !== 0; all += taken) taken = await turn();
  return all;
}

export function repeatUntilTestEnds(work: () => Promise<unknown>): void {
  const stopping = new AbortController();
  const stopped = (async () => {
    while (!stopping.signal.aborted) {
      await work();
      await sleep(POLL_MS);
    }
  })();
  onTestFinished(async () => {
    stopping.abort();
    await stopped;
  });
}
