import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import type { OrgLog } from '../../platform/ledger/org-tiles.ts';

const DAYS = 30;

export interface GrowthDay {
  /** Such as 2026-11-18, in UTC. */
  readonly day: string;
  readonly entries: number;
}

/**
 * How many entries had been sequenced when each day began. An index counts the entries before it, and their times only
 * increase, so each day is found by bisection: some 25 lookups, however large the log is.
 */
const countAtDays = statement<
  { org_id: string; size: number; position: number; today: Date },
  { readonly day: string; readonly entries: number }
>(
  'count_ledger_at_days',
  `with recursive search (day, low, high) as (
     select day, 0::bigint, :size::bigint
     from generate_series(:today::timestamptz - interval '${DAYS - 1} days', :today::timestamptz, interval '1 day') as day
     union all
     select day, case when is_before then middle + 1 else low end, case when is_before then high else middle end
     from (
       select day, low, high, (low + high) / 2 as middle, coalesce((
         select ledger.sequenced_at < search.day from ledger
         where ledger.org_id = :org_id and ledger.index = (low + high) / 2
           and ledger.position > (low + high) / 2 and ledger.position <= :position
         limit 1), false) as is_before
       from search where low < high
     ) as half
   )
   select to_char(day at time zone 'UTC', 'YYYY-MM-DD') as day, low as entries
   from search where low = high order by search.day`,
);

/** Returns the entries of the org in each of the last 30 days, oldest first. */
export async function readGrowth(ctx: Ctx, log: OrgLog | undefined): Promise<GrowthDay[]> {
  const { size, position } = log ?? { size: 0, position: 0 };
  const today = new Date(ctx.now());
  today.setUTCHours(0, 0, 0, 0);
  const counts = await countAtDays(ctx.db, { org_id: ctx.org, size, position, today });
  return counts.map(({ day, entries }, i) => ({ day, entries: (counts[i + 1]?.entries ?? size) - entries }));
}
