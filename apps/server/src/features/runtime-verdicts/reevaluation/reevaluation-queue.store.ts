import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { ReevaluationCause } from './reevaluation-cause.ts';

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

/** A request to re-evaluate an artifact in an environment, as it was read. */
export interface QueuedRequest {
  readonly environment_id: string;
  readonly fingerprint: string;
  readonly cause: ReevaluationCause;
  /** Another one when it was requested again. Never used twice. */
  readonly request: string;
}

/**
 * Whoever is re-evaluating has read the row with its old number, and leaves it in the queue. One that was given up is
 * revived.
 */
export const REQUESTED_AGAIN = sql`
  on conflict (org_id, environment_id, fingerprint, cause) do update set request = excluded.request,
    requested_at = case when queued.given_up_at is not null then excluded.requested_at
      when queued.tries = 0 then least(queued.requested_at, excluded.requested_at) else queued.requested_at end,
    tries = case when queued.given_up_at is null then queued.tries else 0 end,
    error = case when queued.given_up_at is null then queued.error end,
    given_up_at = null`;

/**
 * Queues re-evaluations that the caller does itself after its commit. Workers take them over after a while, in case it
 * ends before. An environment that never reported needs none.
 */
export async function queueOwnRequests(
  db: Db,
  org: string,
  environmentId: string,
  cause: ReevaluationCause,
  fingerprints: readonly string[],
): Promise<QueuedRequest[]> {
  const { rows } = await sql<QueuedRequest>`
    insert into environment_reevaluation as queued (org_id, environment_id, fingerprint, cause, requested_at)
    select org_id, id, fingerprint, ${cause}::text, now() + interval '10 seconds'
    from environment cross join unnest(${fingerprints}::text[]) as fingerprint
    where org_id = ${org} and id = ${environmentId} and snapshot_count > 0 order by fingerprint
    ${REQUESTED_AGAIN}
    returning environment_id, fingerprint, cause, request::text`.execute(db);
  return rows;
}

export async function listRequests(db: Db, org: string, environmentIds: readonly string[]): Promise<QueuedRequest[]> {
  const { rows } = await sql<QueuedRequest>`
    select environment_id, fingerprint, cause, request::text from environment_reevaluation
    where org_id = ${org} and environment_id = any(${environmentIds}::uuid[])`.execute(db);
  return rows;
}

/**
 * Removes requests that were not repeated since they were read. The caller holds the locks of the environments, so that
 * only processors change rows meanwhile. One that is just being repeated is locked, and stays.
 */
export async function deleteRequests(db: Db, org: string, requests: readonly QueuedRequest[]): Promise<void> {
  await sql`
    delete from environment_reevaluation as queued
    using (
      select environment_id, fingerprint, cause from environment_reevaluation
      where org_id = ${org} and environment_id = any(${requests.map((row) => row.environment_id)}::uuid[])
        and request = any(${requests.map((row) => row.request)}::bigint[])
      for update skip locked
    ) as done
    where queued.org_id = ${org} and queued.environment_id = done.environment_id
      and queued.fingerprint = done.fingerprint and queued.cause = done.cause`.execute(db);
}
