import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';

/** The time of a report is written a few seconds later, and not for every report. */
const NOTED_LATE = sql`interval '15 seconds'`;

/** Nobody can report while the service is down, and reporters need a while to reconnect. */
const RETURN_MAX = sql`interval '10 minutes'`;

/** The least allowance where no interval is set: saves computing it for everything that has just reported. */
const ALLOWED_LEAST = sql`interval '5 minutes'`;

const ALLOWANCE = sql`report_allowance(environment.expected_report_interval_s, beat.intervals)`;

export interface Watch {
  readonly now: Date;
  /** Since when reports can be received. */
  readonly upSince: Date;
}

export interface WatchedEnvironment {
  readonly org_id: string;
  readonly environment_id: string;
}

export interface StalePeriod {
  readonly last_reported_at: Date;
  readonly silent_since: Date;
  readonly allowed_seconds: number;
}

/** Overdue for longer than is allowed, and not only because the service or its database was down. */
function isNewlyStale({ now, upSince }: Watch) {
  const at = sql`${now}::timestamptz`;
  return sql`environment.archived_at is null and environment.type <> 'logical' and beat.silent_since is null
    and (environment.expected_report_interval_s is not null or beat.last_reported_at < ${at} - ${ALLOWED_LEAST})
    and beat.last_reported_at + ${ALLOWANCE} + ${NOTED_LATE} < ${at}
    and greatest(${upSince}::timestamptz, pg_postmaster_start_time()) + least(${ALLOWANCE}, ${RETURN_MAX})
      + ${NOTED_LATE} < ${at}`;
}

const WATCHED = sql`environment_heartbeat as beat join environment
  on environment.org_id = beat.org_id and environment.id = beat.environment_id`;

/** Of all orgs. */
export async function listNewlyStale(db: Db, watch: Watch, limit: number): Promise<WatchedEnvironment[]> {
  const { rows } = await sql<WatchedEnvironment>`
    select beat.org_id, beat.environment_id from ${WATCHED}
    where ${isNewlyStale(watch)} order by beat.last_reported_at limit ${limit}`.execute(db);
  return rows;
}

/** Of all orgs. */
export async function listHeardAgain(db: Db, limit: number): Promise<WatchedEnvironment[]> {
  const { rows } = await sql<WatchedEnvironment>`
    select beat.org_id, beat.environment_id from ${WATCHED}
    where beat.last_reported_at > beat.silent_since and environment.archived_at is null
    order by beat.last_reported_at limit ${limit}`.execute(db);
  return rows;
}

/** Reports are noted without the environment's lock, so one that came in between is seen here at the latest. */
export async function updateToStale(db: Db, org: string, id: string, watch: Watch): Promise<StalePeriod | undefined> {
  const { rows } = await sql<StalePeriod>`
    update environment_heartbeat as beat set silent_since = beat.last_reported_at + ${ALLOWANCE}
    from environment
    where beat.org_id = ${org} and beat.environment_id = ${id}
      and environment.org_id = beat.org_id and environment.id = beat.environment_id and ${isNewlyStale(watch)}
    returning beat.last_reported_at, beat.silent_since,
      extract(epoch from ${ALLOWANCE})::double precision as allowed_seconds`.execute(db);
  return rows[0];
}

/** A stale period begins and ends only under the environment's lock. */
export async function findEndedStalePeriod(
  db: Db,
  org: string,
  id: string,
): Promise<Omit<StalePeriod, 'allowed_seconds'> | undefined> {
  const { rows } = await sql<StalePeriod>`
    select beat.last_reported_at, beat.silent_since from ${WATCHED}
    where beat.org_id = ${org} and beat.environment_id = ${id}
      and beat.last_reported_at > beat.silent_since and environment.archived_at is null`.execute(db);
  return rows[0];
}

export async function updateToHeard(db: Db, org: string, id: string): Promise<void> {
  await db
    .updateTable('environment_heartbeat')
    .set({ silent_since: null })
    .where('org_id', '=', org)
    .where('environment_id', '=', id)
    .execute();
}

/** Counts one more journal entry about the environment, which is not a modification. */
export function updateRevision(db: Db, org: string, id: string): Promise<{ name: string; revision: number }> {
  return db
    .updateTable('environment')
    .set({ revision: sql<number>`revision + 1` })
    .where('org_id', '=', org)
    .where('id', '=', id)
    .returning(['name', 'revision'])
    .executeTakeFirstOrThrow();
}
