import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { type LaneRunner, startLanes } from './lane-runner.ts';
import { beat, declareLanes, type HeldLane, rebalance, release } from './leases.ts';
import type { LanePosition } from './pass.ts';
import type { Processor } from './processor.ts';

const TICK_MS = 1_000;
const LEASE_SECONDS = 10;
/** A worker that holds all lanes of a processor runs them in this many groups: a turn costs more than its entries. */
const GROUPS = 16;

interface ProcessorsParts {
  readonly db: Db;
  /** Subscribes to what is sequenced from now on; returns how to stop. What is missed is found by a sweep. */
  readonly listen: (onSequenced: (lanes: readonly LanePosition[]) => void) => () => void;
  readonly processors: readonly Processor[];
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Runs this worker's share of all lanes of all processors until the signal is aborted. */
export async function runProcessors(parts: ProcessorsParts): Promise<void> {
  const worker = newId();
  const names = parts.processors.map((processor) => processor.name);
  const groups = createGroups(parts, worker);
  const stopListening = parts.listen(groups.wake);
  // Its share is counted from its first heartbeat on.
  await beat(parts.db, worker, LEASE_SECONDS).catch(() => undefined);
  const beating = keepBeating(parts, worker);

  while (!parts.signal.aborted) {
    try {
      await declareLanes(parts.db, parts.processors);
      await groups.run(await rebalance(parts.db, worker, names));
      groups.wakeLate(await listLate(parts.db, worker));
    } catch (error) {
      parts.log.warn({ error: String(error) }, 'worker could not renew its lanes');
    }
    await pause(TICK_MS, parts.signal);
  }
  stopListening();
  await groups.run([]);
  await beating;
  await release(parts.db, worker).catch(() => undefined);
}

/** Separate from the lanes, where a turn may take longer than a worker counts as alive. */
async function keepBeating({ db, log, signal }: ProcessorsParts, worker: string): Promise<void> {
  while (!signal.aborted) {
    await pause(TICK_MS, signal);
    if (signal.aborted) return;
    await beat(db, worker, LEASE_SECONDS).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'worker could not say that it lives');
    });
  }
}

interface Group {
  readonly processor: string;
  readonly lanes: readonly number[];
  readonly runner: LaneRunner;
}

/** The lanes that this worker runs, in groups of one processor. */
function createGroups(parts: ProcessorsParts, holder: string) {
  const byName = new Map(parts.processors.map((processor) => [processor.name, processor]));
  const running = new Map<string, Group>();
  return {
    /** Starts groups of lanes that are held, and stops those whose lanes have changed. */
    async run(held: readonly HeldLane[]): Promise<void> {
      const wanted = groupsOf(held);
      const ended = [...running].filter(([key]) => !wanted.has(key));
      await Promise.all(ended.map(([, { runner }]) => runner.stop()));
      for (const [key] of ended) running.delete(key);
      for (const [key, { processor: name, lanes }] of wanted) {
        const processor = byName.get(name);
        if (!processor || running.has(key)) continue;
        const runner = startLanes({ db: parts.db, processor, lanes, holder }, parts.log);
        running.set(key, { processor: name, lanes, runner });
      }
    },
    wake(sequenced: readonly LanePosition[]): void {
      for (const { lanes, runner } of running.values()) {
        for (const each of sequenced) if (lanes.includes(each.lane)) runner.wake(each);
      }
    },
    wakeLate(late: readonly HeldLane[]): void {
      for (const { processor, lane } of late) {
        for (const group of running.values()) {
          if (group.processor === processor && group.lanes.includes(lane)) group.runner.wake();
        }
      }
    },
  };
}

function groupsOf(held: readonly HeldLane[]): Map<string, Omit<Group, 'runner'>> {
  const lanesOf = Map.groupBy(held, ({ processor, lane }) => `${processor} ${lane % GROUPS}`);
  const groups = [...lanesOf.values()].map((all) => ({
    processor: all[0]?.processor ?? '',
    lanes: all.map(({ lane }) => lane).sort((a, b) => a - b),
  }));
  return new Map(groups.map((group) => [`${group.processor} ${group.lanes.join(' ')}`, group]));
}

/** Lanes of this worker that are behind: the safety net for wake-ups that were missed or never sent. */
async function listLate(db: Db, worker: string): Promise<HeldLane[]> {
  const { rows } = await sql<HeldLane>`
    select processor, lane from processor_position as reached join lane_head as head using (lane)
    where holder = ${worker} and head.position > reached.position`.execute(db);
  return rows;
}
