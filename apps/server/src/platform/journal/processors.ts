import { sql } from 'kysely';
import type { Alarm } from '../alarm.ts';
import type { Db } from '../db/db.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { type LaneRunner, startLane } from './lane-runner.ts';
import type { Position } from './lanes.ts';
import { beat, declareLanes, type HeldLane, rebalance, release } from './leases.ts';
import { hearNotices } from './notices.ts';
import type { Processor } from './processor.ts';
import type { Linked, StreamLink } from './stream.ts';

const TICK_MS = 1_000;
/** Writes within this time are found by one sweep. */
const COALESCE_MS = 20;
const LEASE_SECONDS = 10;

interface ProcessorsParts {
  readonly db: Db;
  /** Without a connection a sweep finds what is new. */
  readonly stream: Pick<StreamLink, 'current'>;
  /** Wakes when this process has written something, for a sweep at once. */
  readonly written?: Alarm;
  readonly processors: readonly Processor[];
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Runs this worker's share of all lanes of all processors until the signal is aborted. */
export async function runProcessors(parts: ProcessorsParts): Promise<void> {
  const worker = newId();
  const names = parts.processors.map((processor) => processor.name);
  const lanes = createLanes(parts, worker);
  const hear = (linked: Linked) =>
    hearNotices({ ...linked, log: parts.log }, (lane, notice) => lanes.wake((held) => held.lane === lane, notice));
  const sweep = async () => {
    const late = new Set((await lagging(parts.db, worker)).map(keyOf));
    lanes.wake((held) => late.has(keyOf(held)));
  };
  let stopHearing: (() => void) | undefined;
  // Its share is counted from its first heartbeat on.
  await beat(parts.db, worker, LEASE_SECONDS).catch(() => undefined);
  const beating = keepBeating(parts, worker);

  while (!parts.signal.aborted) {
    const linked = parts.stream.current();
    if (linked) stopHearing ??= hear(linked);
    try {
      await declareLanes(parts.db, names);
      await lanes.run(await rebalance(parts.db, worker, names));
      await sweep();
    } catch (error) {
      parts.log.warn({ error: String(error) }, 'worker could not renew its lanes');
    }
    await untilTick(parts, sweep);
  }
  stopHearing?.();
  await lanes.run([]);
  await beating;
  await release(parts.db, worker).catch(() => undefined);
}

/** Sweeps soon after each write of this process, until the lanes are due. */
async function untilTick({ written, log, signal }: ProcessorsParts, sweep: () => Promise<void>): Promise<void> {
  if (!written) return pause(TICK_MS, signal);
  const due = performance.now() + TICK_MS;
  for (let left = TICK_MS; left > 0 && !signal.aborted; left = due - performance.now()) {
    if (!written.wasWoken()) await written.sleep(left);
    if (!written.wasWoken()) return;
    await pause(COALESCE_MS, signal);
    written.reset();
    await sweep().catch((error: unknown) => log.warn({ error: String(error) }, 'worker could not find what is new'));
  }
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

/** The lanes this worker runs. */
function createLanes(parts: ProcessorsParts, holder: string) {
  const byName = new Map(parts.processors.map((processor) => [processor.name, processor]));
  const running = new Map<string, { held: HeldLane; runner: LaneRunner }>();
  return {
    /** Starts lanes that are held and not running, and stops those no longer held. */
    async run(held: readonly HeldLane[]): Promise<void> {
      const wanted = new Map(held.map((lane) => [keyOf(lane), lane]));
      const ended = [...running].filter(([key]) => !wanted.has(key));
      await Promise.all(ended.map(([, { runner }]) => runner.stop()));
      for (const [key] of ended) running.delete(key);
      for (const [key, lane] of wanted) {
        const processor = byName.get(lane.processor);
        if (!processor || running.has(key)) continue;
        const runner = startLane({ db: parts.db, processor, lane: lane.lane, holder }, parts.log);
        running.set(key, { held: lane, runner });
      }
    },
    wake(isMeant: (held: HeldLane) => boolean, entry?: Position): void {
      for (const { held, runner } of running.values()) if (isMeant(held)) runner.wake(entry);
    },
  };
}

/** Lanes of this worker that are behind the journal: the safety net for notices that were missed or never published. */
async function lagging(db: Db, worker: string): Promise<HeldLane[]> {
  const { rows } = await sql<HeldLane>`
    select processor, lane from processor_position as position
    where holder = ${worker} and exists (
      select from journal where lane = position.lane and (xid, seq) > (position.xid, position.seq)
        and xid < pg_snapshot_xmin(pg_current_snapshot())
    )`.execute(db);
  return rows;
}

function keyOf(lane: HeldLane): string {
  return `${lane.processor} ${lane.lane}`;
}
