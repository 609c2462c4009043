import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { LANES } from './lanes.ts';

export interface Held {
  readonly processor: string;
  readonly lane: number;
}

/** Makes the rows that workers take lanes by. */
export async function declareLanes(db: Db, processors: readonly string[]): Promise<void> {
  await sql`
    insert into processor_position (processor, lane)
    select processor, lane
    from unnest(${processors}::text[]) as processor, generate_series(0, ${LANES - 1}) as lane
    on conflict do nothing`.execute(db);
}

/**
 * Says that this worker lives, gives back lanes beyond its fair share, takes free ones up to it, and returns what it
 * holds. A lane in use is locked by its turn, so it changes hands between turns only.
 */
export async function rebalance(
  db: Db,
  worker: string,
  processors: readonly string[],
  leaseSeconds: number,
): Promise<Held[]> {
  return db.transaction().execute(async (db) => {
    const until = sql<Date>`now() + make_interval(secs => ${leaseSeconds})`;
    await db
      .insertInto('worker')
      .values({ id: worker, alive_until: until })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ alive_until: until }))
      .execute();
    await sql`delete from worker where alive_until < now() - interval '1 hour'`.execute(db);
    const { rows } = await sql<Held>`
      with share as (
        select ceil(count(*) filter (where processor = any(${processors}::text[]))::numeric
          / greatest(1, (select count(*) from worker where alive_until > now())))::integer as lanes
        from processor_position
      ), kept as (
        select processor, lane from processor_position
        where holder = ${worker} and processor = any(${processors}::text[])
        order by processor, lane limit (select lanes from share)
        for update
      ), taken as (
        select processor, lane from processor_position
        where (holder is null or held_until < now()) and processor = any(${processors}::text[])
        order by processor, lane limit greatest(0, (select lanes from share) - (select count(*) from kept))
        for update skip locked
      ), held as (
        select processor, lane from kept union all select processor, lane from taken
      )
      update processor_position as position
      set holder = case when held.lane is null then null else ${worker}::uuid end, held_until = ${until}
      from processor_position as mine left join held using (processor, lane)
      where position.processor = mine.processor and position.lane = mine.lane
        and (held.lane is not null or mine.holder = ${worker})
      returning position.processor, position.lane, position.holder is not null as is_held`.execute(db);
    return (rows as (Held & { is_held: boolean })[])
      .filter((row) => row.is_held)
      .map(({ processor, lane }) => ({ processor, lane }));
  });
}

/** Gives everything back at once, so that a worker that ends makes nobody wait. */
export async function release(db: Db, worker: string): Promise<void> {
  await db.updateTable('processor_position').set({ holder: null }).where('holder', '=', worker).execute();
  await db.deleteFrom('worker').where('id', '=', worker).execute();
}
