import type { Role } from '@waymark/contract';
import { type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { ARRAY_MAX, type Cursor, cut, decodeCursor, encodeCursor } from '../../platform/db/paginate.ts';
import { invalidField } from '../../platform/errors.ts';
import { missingKey } from './api-key.service.ts';
import { type KeyHolder, type KeyRow, keysOf } from './api-key.store.ts';
import { suspendsAt } from './suspends-at.reads.ts';

export interface KeyView extends KeyRow {
  /** Name of the only org in which it is valid. */
  readonly only_org: string | null;
  /** Login of the person who made it. */
  readonly maker: string | null;
  /** When it will be suspended, if it is about to be. */
  readonly suspends_at: Date | null;
  /** The key that replaced it, unless that one was revoked. */
  readonly successor_id: string | null;
}

/** Newest first, at most 10,000 after the cursor, and the cursor of the rest if there is any. */
export async function listKeys(ctx: Ctx, holder: KeyHolder, after: string | undefined) {
  let query = views(ctx, holder).orderBy('api_key.created_at', 'desc').orderBy('api_key.id', 'desc');
  if (after !== undefined) {
    const { at, id } = placeOf(decodeCursor(after));
    query = query.where(sql<SqlBool>`(api_key.created_at, api_key.id) < (${at}::timestamptz, ${id}::uuid)`);
  }
  const { shown, last } = cut(await query.limit(ARRAY_MAX + 1).execute(), ARRAY_MAX);
  return { keys: shown, next: last && encodeCursor({ value: last.created_at.toISOString(), name: last.id }) };
}

export async function readKey(ctx: Ctx, holder: KeyHolder, id: string): Promise<KeyView> {
  if (!z.uuid().safeParse(id).success) throw missingKey(holder, id);
  const key = await views(ctx, holder).where('api_key.id', '=', id).executeTakeFirst();
  if (!key) throw missingKey(holder, id);
  return key;
}

/** The owner of a key, and the org that records its changes. For operators, who know only its id. */
export async function findHolder(db: Db, id: string): Promise<{ holder: KeyHolder; org: string } | undefined> {
  if (!z.uuid().safeParse(id).success) return undefined;
  const key = await db
    .selectFrom('api_key')
    .leftJoin('user_account', 'user_account.id', 'api_key.user_id')
    .leftJoin('service_account', (join) =>
      join
        .onRef('service_account.org_id', '=', 'api_key.org_id')
        .onRef('service_account.id', '=', 'api_key.service_account_id'),
    )
    .select(['user_account.id as user_id', 'user_account.login', 'user_account.personal_org_id'])
    .select(['service_account.id as account_id', 'service_account.name', 'service_account.org_id'])
    .where('api_key.id', '=', id)
    .executeTakeFirst();
  if (key?.user_id && key.login && key.personal_org_id) {
    return { holder: { kind: 'user', id: key.user_id, name: key.login, onlyOrg: null }, org: key.personal_org_id };
  }
  if (key?.account_id && key.name && key.org_id) {
    return {
      holder: { kind: 'service_account', id: key.account_id, name: key.name, onlyOrg: null },
      org: key.org_id,
    };
  }
  return undefined;
}

/** The role of the service account whose key it is, while both are valid and the key is not suspended. */
export async function findKeyPrivilege(db: Db, org: string, id: string | undefined): Promise<Role | undefined> {
  const account = await db
    .selectFrom('api_key as key')
    .innerJoin('service_account as account', (join) =>
      join.onRef('account.org_id', '=', 'key.org_id').onRef('account.id', '=', 'key.service_account_id'),
    )
    .select('account.privilege')
    .where('key.org_id', '=', org)
    .where('key.id', '=', id ?? null)
    .where('key.revoked_at', 'is', null)
    .where('key.suspended_at', 'is', null)
    .where('account.archived_at', 'is', null)
    .executeTakeFirst();
  return account?.privilege;
}

/** How many keys of service accounts are suspended, by account: without revoked ones and those of jobs. */
export async function countSuspendedKeys(
  db: Db,
  org: string,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ account: string; count: number }>`
    select service_account_id as account, count(*) as count
    from api_key
    where org_id = ${org} and service_account_id = any(${accounts}::uuid[]) and suspended_at is not null
      and revoked_at is null and workload is null
    group by service_account_id`.execute(db);
  return new Map(rows.map(({ account, count }) => [account, count]));
}

export interface ScimKeyView extends Pick<KeyRow, 'created_at' | 'last_used_at' | 'suspended_at'> {
  /** Login of the person who made it. */
  readonly maker: string | null;
}

/** The key of the org's identity provider. */
export function findScimKey(db: Db, org: string, id: string): Promise<ScimKeyView | undefined> {
  return db
    .selectFrom('api_key as key')
    .leftJoin('user_account as maker', 'maker.id', 'key.made_by')
    .select(['key.created_at', 'key.last_used_at', 'key.suspended_at', 'maker.login as maker'])
    .where('key.org_id', '=', org)
    .where('key.id', '=', id)
    .executeTakeFirst();
}

function views(ctx: Ctx, holder: KeyHolder) {
  return keysOf(ctx.db, ctx.org, holder)
    .leftJoin('user_account as maker', 'maker.id', 'api_key.made_by')
    .leftJoin('org', 'org.id', 'api_key.only_org_id')
    .leftJoin('api_key as successor', (join) =>
      join.onRef('successor.id', '=', 'api_key.replaced_by').on('successor.revoked_at', 'is', null),
    )
    .selectAll('api_key')
    .select(['maker.login as maker', 'org.name as only_org', 'successor.id as successor_id'])
    .select(suspendsAt('api_key').as('suspends_at'));
}

function placeOf({ value, name }: Cursor): { at: Date; id: string } {
  const at = new Date(value);
  if (!/^\d{4}-/.test(value) || Number.isNaN(at.getTime()) || !z.uuid().safeParse(name).success) {
    throw invalidField('query.after', 'is not a valid cursor of this list');
  }
  return { at, id: name };
}
