import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../db/db.ts';
import { parse } from '../http/validation.ts';

const Since = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Sets the cursors of the event bus back, and returns how many events follow them. */
export async function republishEvents(db: Db, since: string | undefined): Promise<number> {
  const from = since === undefined ? new Date(0) : parse(Since, since, '--since');
  const { rows } = await sql<{ count: number }>`
    with back as (
      update event_cursor as cursor set position = least(cursor.position, (
        select coalesce(min(ledger.position) - 1, head.position) from ledger
        where ledger.lane = cursor.lane and ledger.sequenced_at >= ${from}
      ))
      from lane_head as head where head.lane = cursor.lane
      returning head.position - cursor.position as count
    )
    select coalesce(sum(count), 0)::bigint as count, 'org_id' as scope from back`.execute(db);
  return rows[0]?.count ?? 0;
}
