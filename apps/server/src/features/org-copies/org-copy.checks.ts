import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { conflict } from '../../platform/errors.ts';
import { isKnownLife } from '../../platform/journal/life.ts';
import { findOrgById, findOrgByName, listTakenNames, type OrgRow } from '../orgs/org.reads.ts';
import { readOwners, readPeople, type User } from '../users/user.reads.ts';

/** Refuses a target that could not take the rows, or whose servers could not read them. */
export async function requireSameSchema(source: Db, target: Db): Promise<void> {
  const [here, there] = await Promise.all([listMigrations(source), listMigrations(target)]);
  if (here.join() !== there.join()) {
    throw conflict(
      `The schemas differ: the last migration here is '${here.at(-1)}', and in the target '${there.at(-1)}'. Bring both to one version`,
    );
  }
}

async function listMigrations(db: Db): Promise<string[]> {
  const { rows } = await sql<{ is_empty: boolean }>`select to_regclass('migration') is null as is_empty`.execute(db);
  if (rows[0]?.is_empty) return [];
  const applied = await db.selectFrom('migration').select('name').orderBy(sql`name collate "C"`).execute();
  return applied.map(({ name }) => name);
}

export async function requireReadyTarget(target: Db): Promise<void> {
  const { rows } = await sql<{ owns: boolean }>`
    select pg_has_role(current_user, relowner, 'usage') as owns from pg_class where oid = 'journal'::regclass`.execute(
    target,
  );
  if (!rows[0]?.owns) throw conflict('The role in --to does not own the tables of the target. Connect as their owner');
  if (!(await isKnownLife(target))) {
    throw conflict('The target was restored or moved, and no worker has recorded that. Start a worker there first');
  }
}

export async function requireAbsent(target: Db, { id, name }: OrgRow): Promise<void> {
  const [same, namesake] = [await findOrgById(target, id), await findOrgByName(target, name)];
  if (same) throw conflict(`Org '${same.name}' is in the target already. An org is copied once`);
  if (namesake) throw conflict(`The target has another org with the name '${name}'`);
}

/** The size of an org's ledger, if every entry has its place there and every processor has come past all of them. */
export async function requireProcessed(source: Db, org: OrgRow, processors: readonly string[]): Promise<number> {
  const [size, entries] = [await readSize(source, org.id), await countEntries(source, org.id)];
  if (entries !== size) {
    throw conflict(
      `${entries - size} entries of org '${org.name}' have no place in the ledger yet. Stop writing to the org, let a worker run, and try again`,
    );
  }
  const { rows } = await sql<{ processor: string }>`
    with last as (
      select lane, position from ledger where org_id = ${org.id} and index = ${size - 1}
    )
    select name as processor from unnest(${processors}::text[]) as name
    where not exists (
      select from processor_position as reached join last on last.lane = reached.lane
      where reached.processor = name and reached.position >= last.position)`.execute(source);
  if (rows.length > 0) {
    const names = rows.map(({ processor }) => `'${processor}'`).join(', ');
    throw conflict(
      `Not all entries of org '${org.name}' are processed: ${names} is behind. Stop writing to the org, let a worker run, and try again`,
    );
  }
  return size;
}

export async function requireUnchanged(source: Db, org: OrgRow, size: number): Promise<void> {
  if ((await countEntries(source, org.id)) === size) return;
  throw conflict(
    `Org '${org.name}' was changed during the copy, so nothing was copied. Stop writing to it, and copy it again`,
  );
}

async function readSize(db: Db, org: string): Promise<number> {
  const head = await db.selectFrom('ledger_head').select('size').where('org_id', '=', org).executeTakeFirst();
  return head?.size ?? 0;
}

async function countEntries(db: Db, org: string): Promise<number> {
  const { count } = await db
    .selectFrom('journal')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('org_id', '=', org)
    .executeTakeFirstOrThrow();
  return count;
}

export interface People {
  readonly all: readonly User[];
  /** Those whom the target does not know. */
  readonly missing: readonly User[];
}

/** The people whom rows of the org refer to. A login or an address that means somebody else in the target is refused. */
export async function readPeopleOf(source: Db, target: Db, org: string): Promise<People> {
  const { rows } = await sql<{ id: string }>`
    select user_id as id from membership where org_id = ${org}
    union select user_id from scim_user where org_id = ${org}
    union select user_id from sso_identity where org_id = ${org}`.execute(source);
  const ids = rows.map(({ id }) => id);
  const all = [...(await readPeople(source, ids)).values()];
  const there = await readPeople(target, ids);
  const missing = all.filter(({ id }) => !there.has(id));
  const owners = await readOwners(
    target,
    missing.flatMap(({ email }) => email ?? []),
  );
  const logins = missing.map(({ login }) => login);
  const taken = new Set(await listTakenNames(target, logins));
  const clashes = missing.flatMap(({ login, email }) => [
    ...(email !== null && owners.has(email) ? [`the address '${email}' of user '${login}'`] : []),
    ...(taken.has(login) ? [`the login '${login}'`] : []),
  ]);
  if (clashes.length > 0) {
    throw conflict(`The target has other users or orgs with ${clashes.join(', ')}. Rename or remove one of the two`);
  }
  return { all, missing };
}
