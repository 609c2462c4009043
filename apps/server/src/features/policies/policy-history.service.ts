import type { PolicyEvent } from '@waymark/contract';
import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';

export interface HistoryEvent {
  readonly policyId: string;
  readonly type: PolicyEvent['type'];
  readonly data: Readonly<Record<string, string | number>>;
}

/**
 * Appends to the histories of policies. Events have numbers without gaps, so writers wait for each other: this comes
 * last in a transaction, and always takes the policies in the same order, to avoid deadlocks.
 */
export async function recordEvents(ctx: Ctx, events: readonly HistoryEvent[]): Promise<void> {
  if (events.length === 0) return;
  const policyIds = events.map(({ policyId }) => policyId);
  for (const id of [...new Set(policyIds)].sort()) await lockSubject(ctx.db, ctx.org, 'policy history', id);
  await sql`
    insert into policy_event (org_id, policy_id, no, type, data, created_at, created_by)
    select ${ctx.org}, event.policy_id,
      row_number() over (partition by event.policy_id order by event.place) + coalesce(
        (select max(no) from policy_event as earlier
         where earlier.org_id = ${ctx.org} and earlier.policy_id = event.policy_id), 0),
      event.type, event.data, ${ctx.now()}, ${ctx.actor.name}
    from unnest(${policyIds}::uuid[], ${events.map(({ type }) => type)}::text[],
      ${events.map(({ data }) => JSON.stringify(data))}::text[]) with ordinality as event (policy_id, type, data, place)
  `.execute(ctx.db);
}
