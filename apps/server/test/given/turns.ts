import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';
import { LANES } from '../../src/platform/journal/lanes.ts';
import { type Processor, takeTurn } from '../../src/platform/journal/processor.ts';
import type { TestApi } from '../harness.ts';

const HOLDER = '00000000-0000-7000-8000-000000000001';
const POLL_MS = 50;

export interface Turns {
  /** Gives the processor what is in the journal; returns how many lanes it could not finish yet. */
  take(): Promise<number>;
  /** Repeats that, because entries wait for transactions that are still running somewhere. */
  untilDone(): Promise<void>;
}

/** Holds all lanes for a processor, as a worker does. */
export async function givenTurns(api: TestApi, processor: Processor): Promise<Turns> {
  const lanes = Array.from({ length: LANES }, (_, lane) => lane);
  await api.db
    .insertInto('processor_position')
    .values(lanes.map((lane) => ({ processor: processor.name, lane, holder: HOLDER })))
    .execute();
  const lanesBehind = async () => {
    const { rows } = await sql<{ lane: number }>`
      select lane from processor_position as reached
      where processor = ${processor.name} and exists (
        select org_id from journal where lane = reached.lane and (xid, seq) > (reached.xid, reached.seq))`.execute(
      api.db,
    );
    return rows.map((row) => row.lane);
  };
  const take = async () => {
    for (const lane of await lanesBehind()) {
      while ((await takeTurn({ db: api.db, processor, lane, holder: HOLDER })).kind === 'more');
    }
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
