import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import type { Processor } from './processor.ts';

export interface HeldLane {
  readonly processor: string;
  readonly lane: number;
}

/** Creates the rows by which workers claim lanes, where each processor begins. */
export async function declareLanes(db: Db, processors: readonly Pick<Processor, 'name' | 'begins'>[]): Promise<void> {
  await sql`
    insert into processor_position (processor, lane, position)
    select processor, lane, case when begins_now then position else 0 end
    from unnest(
      ${processors.map(({ name }) => name)}::text[], ${processors.map(({ begins }) => begins === 'now')}::boolean[]
    ) as processor (processor, begins_now) cross join lane_head
    on conflict do nothing`.execute(db);
}

/** Heartbeat of this worker. Its own statement, so that no running turn can delay it. */
export async function beat(db: Db, worker: string, leaseSeconds: number): Promise<void> {
  await sql`
    insert into worker (id, alive_until) values (${worker}, now() + make_interval(secs => ${leaseSeconds}))
    on conflict (id) do update set alive_until = excluded.alive_until`.execute(db);
  await sql`delete from worker where alive_until < now() - interval '1 hour'`.execute(db);
}

/**
 * Releases lanes beyond the worker's fair share, claims those of nobody or of a dead worker up to it, and returns what
 * it holds. It waits for no turn: a lane in use is locked by its turn, so it stays with its worker until a later call.
 */
export async function rebalance(db: Db, worker: string, processors: readonly string[]): Promise<HeldLane[]> {
  const { rows } = await sql<HeldLane>`
    with share as (
      select ceil(count(*) filter (where processor = any(${processors}::text[]))::numeric
        / greatest(1, (select count(*) from worker where alive_until > now())))::integer as lanes
      from processor_position
    ), mine as (
      select processor, lane from processor_position where holder = ${worker} and processor = any(${processors}::text[])
    ), surplus as (
      select processor, lane from processor_position
      where (processor, lane) in (
        select processor, lane from mine order by processor, lane offset (select lanes from share))
      for update skip locked
    ), returned as (
      update processor_position as position set holder = null from surplus
      where position.processor = surplus.processor and position.lane = surplus.lane
    ), free as (
      select processor, lane from processor_position
      where processor = any(${processors}::text[])
        and (holder is null or not exists (select from worker where id = holder and alive_until > now()))
      order by processor, lane limit greatest(0, (select lanes from share) - (select count(*) from mine))
      for update skip locked
    ), taken as (
      update processor_position as position set holder = ${worker} from free
      where position.processor = free.processor and position.lane = free.lane
      returning position.processor, position.lane
    )
    select processor, lane from mine where (processor, lane) not in (select processor, lane from surplus)
    union
    select processor, lane from taken`.execute(db);
  return rows;
}

/** Releases everything at once, so that nobody waits for a worker that ends. */
export async function release(db: Db, worker: string): Promise<void> {
  await db.updateTable('processor_position').set({ holder: null }).where('holder', '=', worker).execute();
  await db.deleteFrom('worker').where('id', '=', worker).execute();
}
