import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { WITHHELD } from '../../platform/db/grant-use.ts';
import { listPending } from '../../platform/db/migrate.ts';
import { type Check, Fault, orFault } from './check.ts';

/** How far the clocks may differ. Leases and links last longer than that, and a round trip takes less. */
const CLOCK_TOLERANCE_MS = 5_000;

const NAME_THE_PRIMARY = 'set WAYMARK_DATABASE_URL to the primary, with an address that follows a failover';

export function databaseChecks(db: Db): Check[] {
  return [
    { name: 'PostgreSQL', run: () => checkDatabase(db) },
    { name: 'database role', needs: ['PostgreSQL'], run: () => checkRole(db) },
    // To a role without privileges, a migrated database seems to be empty.
    { name: 'migrations', needs: ['database role'], run: () => checkMigrations(db) },
  ];
}

export function clockCheck(db: Db): Check {
  return { name: 'clock', needs: ['PostgreSQL'], run: () => checkClock(db) };
}

async function checkDatabase(db: Db): Promise<string> {
  const asked = sql<{ version: string; name: string; encoding: string; is_standby: boolean }>`
    select current_setting('server_version') as version, current_database() as name,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby`.execute(db);
  const { rows } = await orFault(
    asked,
    'PostgreSQL cannot be used',
    'check that PostgreSQL runs; check the host, the port, the role, and the password in WAYMARK_DATABASE_URL',
  );
  const [found] = rows;
  if (!found) throw new Error('PostgreSQL returned no row');
  if (found.encoding !== 'UTF8') {
    throw new Fault('The database cannot store all text', {
      found: `database '${found.name}' has encoding ${found.encoding}`,
      fix: "create a database with encoding 'UTF8'",
    });
  }
  if (found.is_standby) {
    throw new Fault('PostgreSQL accepts no writes', { found: 'this is a standby', fix: NAME_THE_PRIMARY });
  }
  return `${found.version}, database '${found.name}'`;
}

async function checkMigrations(db: Db): Promise<string> {
  const pending = await orFault(
    listPending(db),
    'The migrations of the database do not match this version',
    'use the version that last migrated the database, or run `waymark-server migrate` as its owner',
  );
  if (pending.length === 0) return 'the database is up to date';
  throw new Fault('The database is behind this version', {
    found: `${pending.length} migrations are missing`,
    fix: 'run `waymark-server migrate`',
  });
}

/** How many tables a message names. */
const NAMED = 3;

/** Partitions are reached through their table. */
async function checkRole(db: Db): Promise<string> {
  const { rows } = await sql<{ role: string; schema: string | null; denied: string[] }>`
    select current_user as role, current_schema() as schema, array(
      select lower(wanted.privilege) || ' on ' || relname::text
      from pg_class cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as wanted (privilege)
      where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p') and not relispartition
        and (relname::text, wanted.privilege) not in (
          select * from unnest(
            ${WITHHELD.map(({ table }) => table)}::text[], ${WITHHELD.map(({ privilege }) => privilege)}::text[]
          )
        )
        and not case wanted.privilege
          when 'DELETE' then has_table_privilege(pg_class.oid, 'DELETE')
          else has_any_column_privilege(pg_class.oid, wanted.privilege)
        end
      union all
      select 'usage on ' || relname::text from pg_class
      where relnamespace = to_regnamespace(current_schema())
        and case relkind when 'S' then not has_sequence_privilege(pg_class.oid, 'USAGE') else false end
      order by 1
    ) as denied`.execute(db);
  const [{ role, schema, denied } = { role: '', schema: null, denied: [] }] = rows;
  const what = 'The role of the server lacks privileges';
  const fix = 'run `waymark-server migrate` with WAYMARK_DATABASE_OWNER_URL, which grants them';
  if (schema === null) throw new Fault(what, { found: `role '${role}' cannot use the schema 'public'`, fix });
  if (denied.length === 0) return `'${role}' can read and write every table`;
  const more = denied.length > NAMED ? ` and ${denied.length - NAMED} more` : '';
  throw new Fault(what, { found: `role '${role}' lacks ${denied.slice(0, NAMED).join(', ')}${more}`, fix });
}

async function checkClock(db: Db): Promise<string> {
  const asked = Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const answered = Date.now();
  const now = rows[0]?.now.getTime() ?? Number.NaN;
  const differenceMs = (asked + answered) / 2 - now;
  const seconds = `${Math.abs(differenceMs / 1_000).toFixed(1)} s`;
  // The reply may have taken long in either direction.
  if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS + (answered - asked) / 2)
    return `${seconds} off the clock of PostgreSQL`;
  throw new Fault('The clocks of this machine and of PostgreSQL differ', {
    found: `this machine is ${seconds} ${differenceMs > 0 ? 'ahead' : 'behind'}`,
    fix: 'synchronize both machines with NTP, for example with chrony',
  });
}
