import { DEPARTURE_LISTED_DAYS, DEPARTURES_MAX, type Role } from '@waymark/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { type DepartedGrants, type DepartedMaker, readDepartedGrants } from '../../api-keys/departed-grant.reads.ts';
import { readPeople } from '../../users/user.reads.ts';

export interface DepartureView extends DepartedGrants {
  readonly login: string;
  readonly display_name: string | null;
  readonly role: Role | null;
  readonly departed_at: Date;
  readonly suspend_at: Date;
  readonly settled_at: Date | null;
}

/** Departures that suspend nothing any more are not shown, so more are read. */
const READ_MAX = 10 * DEPARTURES_MAX;

/** Newest first, while something is suspended or about to be. */
export async function listDepartures(db: Db, org: string, now: Date): Promise<DepartureView[]> {
  const departures = await listLatest(db, org, now);
  const grants = await readDepartedGrants(db, org, departures, now);
  const shown = departures.filter(({ id }) => grants.has(id)).slice(0, DEPARTURES_MAX);
  const people = await readPeople(
    db,
    shown.map(({ user_id }) => user_id),
  );
  return shown.flatMap(({ id, user_id, role, departed_at, suspend_at, settled_at }) => {
    const [person, made] = [people.get(user_id), grants.get(id)];
    if (!person || !made) return [];
    const { login, displayName: display_name } = person;
    return [{ login, display_name, role, departed_at, suspend_at, settled_at, ...made }];
  });
}

/** The last departure of each person. */
async function listLatest(db: Db, org: string, now: Date): Promise<(DepartedMaker & { suspend_at: Date })[]> {
  const { rows } = await sql<DepartedMaker & { suspend_at: Date }>`
    select departure.id, departure.user_id, membership.role, departure.departed_at, departure.suspend_at,
      departure.settled_at, departure.scim_key_id
    from departure
    left join membership on membership.org_id = departure.org_id and membership.user_id = departure.user_id
      and membership.removed_at is null
    where departure.org_id = ${org}
      and (departure.settled_at is null
        or departure.departed_at > ${now}::timestamptz - ${DEPARTURE_LISTED_DAYS} * interval '1 day')
      and not exists (
        select from departure as later
        where later.org_id = departure.org_id and later.user_id = departure.user_id
          and later.departed_at > departure.departed_at
      )
    order by departure.departed_at desc, departure.id
    limit ${READ_MAX}`.execute(db);
  return rows;
}
