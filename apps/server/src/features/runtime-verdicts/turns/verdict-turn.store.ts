import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { statement } from '../../../platform/db/statement.ts';
import { REQUESTED_AGAIN } from '../reevaluation/reevaluation-queue.store.ts';

/**
 * The earlier of two turns stays, as a judgement that saw less may be written last. One that is too early costs a
 * re-evaluation, which schedules the next.
 */
export const upsertTurns = statement<
  {
    org_id: string;
    environments: readonly string[];
    fingerprints: readonly string[];
    turns: readonly Date[];
    warnings: readonly Date[];
  },
  never
>(
  'upsert_verdict_turns',
  `insert into verdict_turn as turn (org_id, environment_id, fingerprint, turns_at, warns_at)
   select :org_id::uuid, * from unnest(:environments::uuid[], :fingerprints::text[], :turns::timestamptz[],
     :warnings::timestamptz[])
   on conflict (org_id, environment_id, fingerprint)
   do update set turns_at = excluded.turns_at, warns_at = excluded.warns_at where excluded.turns_at < turn.turns_at`,
);

export interface VerdictTurn {
  readonly org_id: string;
  readonly environment_id: string;
  readonly fingerprint: string;
  readonly turns_at: Date;
}

/**
 * The rows of each org that are due, earliest first, and no more of one org than of another. Walks from org to org, so
 * that neither rows that are not due nor very many that are due are read.
 */
function dueIn(column: 'turns_at' | 'warns_at', now: Date, perOrg: number) {
  const [due, at] = [sql.ref(column), sql`${now}::timestamptz`];
  return sql`
    with recursive waiting (id) as (
      (select org_id from verdict_turn where ${due} is not null order by org_id limit 1)
      union all
      select next.org_id from waiting cross join lateral (
        select org_id from verdict_turn where ${due} is not null and org_id > waiting.id order by org_id limit 1
      ) as next
    )
    select turn.* from waiting cross join lateral (
      select org_id, environment_id, fingerprint, turns_at from verdict_turn
      where org_id = waiting.id and ${due} <= ${at} order by ${due} limit ${perOrg}
    ) as turn`;
}

/** Queues a re-evaluation of what is due, and returns how many. Another worker may do the same. */
export async function queueDue(db: Db, now: Date, perOrg: number): Promise<number> {
  const { rows } = await sql<{ queued: number }>`
    with due as materialized (${dueIn('turns_at', now, perOrg)}), taken as materialized (
      select turn.org_id, turn.environment_id, turn.fingerprint from verdict_turn as turn
      join due on due.org_id = turn.org_id and due.environment_id = turn.environment_id
        and due.fingerprint = turn.fingerprint
      where turn.turns_at <= ${now}::timestamptz
      for update of turn skip locked
    ), gone as (
      delete from verdict_turn as turn using taken
      where turn.org_id = taken.org_id and turn.environment_id = taken.environment_id
        and turn.fingerprint = taken.fingerprint
    ), queued as (
      insert into environment_reevaluation as queued (org_id, environment_id, fingerprint, cause, requested_at)
      select org_id, environment_id, fingerprint, 'time', now() from taken
      order by org_id, environment_id, fingerprint
      ${REQUESTED_AGAIN}
      returning 1
    )
    select count(*)::integer as queued from queued`.execute(db);
  return rows[0]?.queued ?? 0;
}

export async function listWarnings(db: Db, now: Date, perOrg: number): Promise<VerdictTurn[]> {
  const { rows } = await sql<VerdictTurn>`${dueIn('warns_at', now, perOrg)}`.execute(db);
  return rows;
}

/** Returns those that nobody else has warned of, and that are still to come as they were read. */
export const updateToWarned = statement<
  { org_id: string; environment_id: string; fingerprints: readonly string[]; turns: readonly Date[] },
  { fingerprint: string }
>(
  'update_turns_to_warned',
  `update verdict_turn as turn set warns_at = null
   from unnest(:fingerprints::text[], :turns::timestamptz[]) as read (fingerprint, turns_at)
   where turn.org_id = :org_id and turn.environment_id = :environment_id and turn.fingerprint = read.fingerprint
     and turn.turns_at = read.turns_at and turn.warns_at is not null
   returning turn.fingerprint`,
);

/** Raises the revision of the environment for one more journal entry. */
export const updateRevision = statement<{ org_id: string; id: string }, { name: string; revision: number }>(
  'update_revision_for_warning',
  'update environment set revision = revision + 1 where org_id = :org_id and id = :id returning name, revision',
);
