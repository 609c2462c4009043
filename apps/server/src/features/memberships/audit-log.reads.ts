import type { Role } from '@waymark/contract';
import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import type { MemberSource } from './membership.entries.ts';

export interface MemberAuditFilter {
  /** Part of a name or login, case-insensitive. */
  readonly search: string | undefined;
  readonly eventType: 'added' | 'changed' | 'removed' | undefined;
  readonly roles: readonly Role[];
  readonly sources: readonly MemberSource[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export interface AuditEvent {
  readonly id: string;
  readonly event_type: 'added' | 'changed' | 'removed';
  readonly user_name: string;
  readonly login: string;
  readonly changed_by: string;
  readonly role: Role | '';
  readonly previous_role: Role | '';
  readonly source: MemberSource;
  readonly created_at: Date;
}

const SORTED = {
  when: 'created_at',
  user: 'user_name',
  role: 'role',
  changed_by: 'changed_by',
  source: 'source',
} as const;

export interface AuditSort {
  readonly by: keyof typeof SORTED;
  readonly direction: 'asc' | 'desc';
}

export async function countAuditEvents(ctx: Ctx, filter: MemberAuditFilter): Promise<number> {
  const { total } = await matching(ctx, filter, await namesLike(ctx, filter.search))
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export async function listAuditEvents(
  ctx: Ctx,
  filter: MemberAuditFilter,
  sort: AuditSort,
  page: number,
  perPage: number,
): Promise<AuditEvent[]> {
  return matching(ctx, filter, await namesLike(ctx, filter.search))
    .select(['id', 'event_type', 'user_name', 'login', 'changed_by', 'role', 'previous_role', 'source', 'created_at'])
    .orderBy(SORTED[sort.by], sort.direction)
    .$if(sort.by !== 'when', (query) => query.orderBy('created_at', sort.direction))
    .orderBy('id', sort.direction)
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
}

/**
 * Up to this many names are looked up one by one: 15 ms for 100 of them among a million events. For 700, PostgreSQL
 * chooses to scan all events, which takes 4 s; scanning them for the text itself takes 360 ms (2026-11).
 */
const NAMES_MAX = 100;

type Named = { readonly all: readonly string[] } | { readonly like: string };

/** Who a search matches: the names that contain the text, or the text itself when they are many. */
async function namesLike({ db, org }: Ctx, search: string | undefined): Promise<Named | undefined> {
  if (!search) return undefined;
  const like = `%${search.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  const rows = await db
    .selectFrom('membership_event_name')
    .select('name')
    .where('org_id', '=', org)
    .where(sql<SqlBool>`name like lower(${like})`)
    .limit(NAMES_MAX + 1)
    .execute();
  return rows.length > NAMES_MAX ? { like } : { all: rows.map(({ name }) => name) };
}

function isNamed(named: Named) {
  if ('like' in named) return sql<SqlBool>`names like lower(${named.like})`;
  return sql<SqlBool>`(left(lower(user_name), 200) = any(${named.all}::text[])
    or left(lower(login), 200) = any(${named.all}::text[])
    or left(lower(changed_by), 200) = any(${named.all}::text[]))`;
}

function matching({ db, org }: Ctx, filter: MemberAuditFilter, named: Named | undefined) {
  let query = db.selectFrom('membership_event').where('org_id', '=', org);
  if (named) query = query.where(isNamed(named));
  if (filter.eventType) query = query.where('event_type', '=', filter.eventType);
  if (filter.roles.length > 0) query = query.where('role', 'in', filter.roles);
  if (filter.sources.length > 0) query = query.where('source', 'in', filter.sources);
  if (filter.from) query = query.where('created_at', '>=', filter.from);
  if (filter.to) query = query.where('created_at', '<=', filter.to);
  return query;
}
