import { sql } from 'kysely';
import type { Db } from '../db/db.ts';

export interface Lease {
  readonly name: string;
  /** Differs from that of any other lease, also of the same task in the same worker. */
  readonly holder: string;
  readonly until: Date;
}

export interface TaskEnd {
  readonly ended_at: Date;
  /** When it is due again. */
  readonly due_at: Date;
  /** Null when it succeeded. */
  readonly error: string | null;
}

/** Leaves a task alone that has a due time, unless a new schedule has an earlier one. */
export async function insertSchedules(db: Db, schedules: readonly { name: string; due_at: Date }[]): Promise<void> {
  await db
    .insertInto('scheduled_task')
    .values(schedules)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((task) => ({ due_at: task.ref('excluded.due_at') }))
        .whereRef('excluded.due_at', '<', 'scheduled_task.due_at'),
    )
    .execute();
}

/** Leases the task that has been due longest among those that nobody holds. */
export function leaseDue(
  db: Db,
  names: readonly string[],
  now: Date,
  { holder, until }: Omit<Lease, 'name'>,
): Promise<{ name: string; failures: number } | undefined> {
  return db
    .updateTable('scheduled_task')
    .set({ holder, leased_until: until })
    .where('name', '=', (task) =>
      task
        .selectFrom('scheduled_task')
        .select('name')
        .where('name', 'in', names)
        .where('due_at', '<=', now)
        .where((held) => held.or([held('leased_until', 'is', null), held('leased_until', '<=', now)]))
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['name', 'failures'])
    .executeTakeFirst();
}

export async function extendLease(db: Db, { name, holder, until }: Lease): Promise<void> {
  await db
    .updateTable('scheduled_task')
    .set({ leased_until: until })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute();
}

/** Writes nothing when somebody else has leased the task since. */
export async function endLease(db: Db, { name, holder }: Lease, { ended_at, due_at, error }: TaskEnd): Promise<void> {
  await db
    .updateTable('scheduled_task')
    .set({
      ...{ ended_at, due_at, last_error: error, holder: null, leased_until: null },
      failures: error === null ? 0 : sql`failures + 1`,
    })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute();
}

/** When the first of these tasks can be leased. */
export async function findNextDue(db: Db, names: readonly string[]): Promise<Date | undefined> {
  const row = await db
    .selectFrom('scheduled_task')
    .select(sql<Date | null>`min(greatest(due_at, leased_until))`.as('at'))
    .where('name', 'in', names)
    .executeTakeFirst();
  return row?.at ?? undefined;
}
