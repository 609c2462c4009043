import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { type LaneRunner, startLane } from './lane-runner.ts';
import { declareLanes, type Held, rebalance, release } from './leases.ts';
import type { Processor } from './processor.ts';
import type { NatsConnection, StreamConfig } from './stream.ts';

const TICK_MS = 1_000;
const LEASE_SECONDS = 10;

interface ProcessorsParts {
  readonly db: Db;
  readonly nats: NatsConnection;
  readonly stream: StreamConfig;
  readonly processors: readonly Processor[];
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Runs this worker's share of all lanes of all processors until the signal is given. */
export async function runProcessors(parts: ProcessorsParts): Promise<void> {
  const worker = newId();
  const byName = new Map(parts.processors.map((processor) => [processor.name, processor]));
  const names = [...byName.keys()];
  const running = new Map<string, LaneRunner>();

  while (!parts.signal.aborted) {
    try {
      await declareLanes(parts.db, names);
      const held = await rebalance(parts.db, worker, names, LEASE_SECONDS);
      await follow(held);
      for (const lane of await lagging(parts.db, worker)) running.get(keyOf(lane))?.wake();
    } catch (error) {
      parts.log.warn({ error: String(error) }, 'worker could not renew its lanes');
    }
    await pause(TICK_MS, parts.signal);
  }
  await follow([]);
  await release(parts.db, worker).catch(() => undefined);

  async function follow(held: readonly Held[]): Promise<void> {
    const wanted = new Map(held.map((lane) => [keyOf(lane), lane]));
    const ended = [...running].filter(([key]) => !wanted.has(key));
    await Promise.all(ended.map(([, runner]) => runner.stop()));
    for (const [key] of ended) running.delete(key);
    for (const [key, { processor: name, lane }] of wanted) {
      const processor = byName.get(name);
      if (!processor || running.has(key)) continue;
      const turn = { db: parts.db, processor, lane, holder: worker };
      running.set(key, startLane({ ...parts, turn }));
    }
  }
}

/** Lanes of this worker behind what the relay has published: the net under a stream that lost something. */
async function lagging(db: Db, worker: string): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select position.processor, position.lane
    from processor_position as position join relay_cursor as cursor using (lane)
    where position.holder = ${worker} and (position.xid, position.seq) < (cursor.xid, cursor.seq)`.execute(db);
  return rows;
}

function keyOf(lane: Held): string {
  return `${lane.processor} ${lane.lane}`;
}
