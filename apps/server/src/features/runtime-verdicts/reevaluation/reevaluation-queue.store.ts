import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { ReevaluationCause } from './reevaluate.service.ts';

/** An environment that waits for re-evaluation. */
export interface QueuedReevaluation {
  readonly org_id: string;
  readonly environment_id: string;
  /** The number of decisions to make: one per artifact and policy. */
  readonly decisions: number;
}

/** All that runs there. */
export const EVERYTHING = '';

/** Sorts before every org. */
export const NO_ORG = '00000000-0000-0000-0000-000000000000';

/** Lists some of the orgs with due work, by id, starting after `after`. */
export async function listDueOrgs(db: Db, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    with recursive waiting (org_id) as (
      (select org_id from environment_reevaluation
       where given_up_at is null and org_id > ${after} order by org_id limit 1)
      union all
      select next.org_id from waiting cross join lateral (
        select org_id from environment_reevaluation
        where given_up_at is null and org_id > waiting.org_id order by org_id limit 1
      ) as next
    )
    select org_id from waiting
    where exists (select from environment_reevaluation as due
      where due.org_id = waiting.org_id and due.given_up_at is null and due.requested_at <= now())
    limit ${limit}`.execute(db);
  return rows.map((row) => row.org_id);
}

/** Many artifacts of one environment may wait. */
const ROWS = 10_000;

/** Lists some of the environments that wait in each of the orgs, longest wait first. */
export async function listDue(db: Db, orgs: readonly string[], limit: number): Promise<QueuedReevaluation[]> {
  const { rows } = await sql<QueuedReevaluation>`
    select due.org_id, due.environment_id,
      case when is_whole then coalesce(latest.artifact_count, 0) else asked_for end * greatest(1, (
        select count(*)::integer from environment_policy as attached
        where attached.org_id = due.org_id and attached.environment_id = due.environment_id)) as decisions
    from unnest(${orgs}::uuid[]) as org (id)
    cross join lateral (
      select org_id, environment_id, bool_or(fingerprint = ${EVERYTHING}) as is_whole, count(*)::integer as asked_for,
        min(requested_at) as since
      from (
        select org_id, environment_id, fingerprint, requested_at from environment_reevaluation
        where org_id = org.id and given_up_at is null and requested_at <= now() order by requested_at limit ${ROWS}
      ) as waiting
      group by org_id, environment_id order by since, environment_id limit ${limit}
    ) as due
    left join environment on environment.org_id = due.org_id and environment.id = due.environment_id
    left join snapshot as latest on latest.org_id = due.org_id and latest.environment_id = due.environment_id
      and latest.index = environment.snapshot_count
    order by due.since, due.org_id, due.environment_id`.execute(db);
  return rows;
}

export type Setback = 'postponed' | 'given up';

/** Schedules a retry after a delay that doubles each time, or gives up after enough tries. */
export async function postponeReevaluations(
  db: Db,
  waiting: Pick<QueuedReevaluation, 'org_id' | 'environment_id'>,
  { error, firstWaitSeconds, maxTries }: { error: string; firstWaitSeconds: number; maxTries: number },
): Promise<Setback> {
  const { rows } = await sql<{ given_up: boolean }>`
    update environment_reevaluation
    set tries = tries + 1, error = ${error},
      requested_at = now() + make_interval(secs => ${firstWaitSeconds} * 2 ^ tries),
      given_up_at = case when tries + 1 >= ${maxTries} then now() end
    where org_id = ${waiting.org_id} and environment_id = ${waiting.environment_id}
    returning given_up_at is not null as given_up`.execute(db);
  return rows.some((row) => row.given_up) ? 'given up' : 'postponed';
}

/**
 * Runs before the re-evaluation. A request that arrives from now on waits for the end of the transaction and is queued
 * again; the cause of an earlier request is visible by now.
 */
export async function deleteReevaluations(
  db: Db,
  org: string,
  environmentIds: readonly string[],
): Promise<{ environment_id: string; fingerprint: string; cause: ReevaluationCause }[]> {
  return db
    .deleteFrom('environment_reevaluation')
    .where('org_id', '=', org)
    .where('environment_id', 'in', environmentIds)
    .returning(['environment_id', 'fingerprint', 'cause'])
    .execute();
}
