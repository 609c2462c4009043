import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { readOrgNames } from '../../orgs/org.reads.ts';

export interface AbandonedReevaluation {
  readonly org_id: string;
  readonly environment_id: string;
  readonly org_name: string;
  readonly environment_name: string;
  readonly tries: number;
  readonly error: string;
  readonly given_up_at: Date;
}

/** Environments whose re-evaluation was given up, oldest first, over all orgs: for the operator of the installation. */
export async function listAbandonedReevaluations(db: Db, limit: number): Promise<AbandonedReevaluation[]> {
  const { rows } = await sql<Omit<AbandonedReevaluation, 'org_name'>>`
    select given_up.org_id, given_up.environment_id, environment.name as environment_name, given_up.tries,
      given_up.error, given_up.given_up_at
    from (
      select distinct on (org_id, environment_id) org_id, environment_id, tries, error, given_up_at
      from environment_reevaluation where given_up_at is not null
      order by org_id, environment_id, given_up_at
    ) as given_up
    join environment on environment.org_id = given_up.org_id and environment.id = given_up.environment_id
    order by given_up.given_up_at limit ${limit}`.execute(db);
  const nameOf = await readOrgNames(
    db,
    rows.map(({ org_id }) => org_id),
  );
  return rows.map((row) => ({ ...row, org_name: nameOf(row.org_id) }));
}

/** Queues it for a new try, as if it were requested now; returns false when somebody else has done so. */
export async function replayAbandonedReevaluation(db: Db, org: string, environmentId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('environment_reevaluation')
    .set({ requested_at: sql<Date>`now()`, tries: 0, error: null, given_up_at: null })
    .where('org_id', '=', org)
    .where('environment_id', '=', environmentId)
    .where('given_up_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
