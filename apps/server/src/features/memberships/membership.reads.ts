import type { Role } from '@waymark/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import * as store from './membership.store.ts';

export interface MemberView {
  readonly login: string;
  readonly display_name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly since: Date;
}

interface MemberPage {
  readonly total: number;
  readonly members: readonly MemberView[];
}

/** When members got their role is read only for those that are shown. */
const SINCE = sql<Date>`(
  select event.created_at from membership_event as event
  where event.org_id = shown.org_id and event.user_id = shown.user_id order by event.revision desc limit 1)`;

export async function listMemberPage(ctx: Ctx, page: number, perPage: number): Promise<MemberPage> {
  const { total } = await ctx.db
    .selectFrom('membership')
    .select((count) => count.fn.countAll<number>().as('total'))
    .where('org_id', '=', ctx.org)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  const members = await readMembers(
    ctx,
    sql`select * from members order by login limit ${perPage} offset ${(page - 1) * perPage}`,
  );
  return { total, members };
}

export async function readMember(ctx: Ctx, login: string): Promise<MemberView | undefined> {
  const [member] = await readMembers(ctx, sql`select * from members where login = ${login}`);
  return member;
}

/** People who came through the identity provider are shown under the name it gave, not that of their account. */
const PROVIDED = sql`
  select coalesce(provisioned.display_name, provisioned.name->>'formatted',
      nullif(concat_ws(' ', provisioned.name->>'givenName', provisioned.name->>'familyName'), ''),
      provisioned.user_name) as name,
    provisioned.addresses[1] as email, 0 as place
  from scim_user as provisioned
  where provisioned.org_id = shown.org_id and provisioned.user_id = shown.user_id
  union all
  select coalesce(identity.name, identity.email), identity.email, 1
  from sso_identity as identity
  where identity.org_id = shown.org_id and identity.user_id = shown.user_id
  order by place
  limit 1`;

async function readMembers(ctx: Ctx, chosen: RawBuilder<unknown>): Promise<MemberView[]> {
  const { rows } = await sql<MemberView>`
    with members as not materialized (
      select membership.org_id, membership.user_id, membership.role, person.login,
        coalesce(person.display_name, person.login) as display_name, person.email
      from membership join user_account as person on person.id = membership.user_id
      where membership.org_id = ${ctx.org} and membership.removed_at is null
    )
    select login, coalesce(provided.name, display_name) as display_name, coalesce(provided.email, shown.email) as email,
      role, ${SINCE} as since
    from (${chosen}) as shown
    left join lateral (${PROVIDED}) as provided on true
    order by login`.execute(ctx.db);
  return rows;
}

/** Who had which role at a given time: the last change before it, for everyone who was ever a member. */
export async function listMemberPageAt(ctx: Ctx, at: Date, page: number, perPage: number): Promise<MemberPage> {
  const { rows } = await sql<MemberView & { total: number }>`
    with members as materialized (
      select membership.user_id, latest.revision
      from membership cross join lateral (
        select event.revision, event.role from membership_event as event
        where event.org_id = membership.org_id and event.user_id = membership.user_id and event.created_at <= ${at}
        order by event.revision desc limit 1
      ) as latest
      where membership.org_id = ${ctx.org} and latest.role <> ''
    ), shown as (
      select members.user_id, members.revision, person.login, person.email
      from members join user_account as person on person.id = members.user_id
      order by person.login limit ${perPage} offset ${(page - 1) * perPage}
    )
    select total, event.login, event.user_name as display_name, shown.email, event.role, event.created_at as since
    from (select count(*) as total from members) as totals
    left join shown on true
    left join membership_event as event
      on event.org_id = ${ctx.org} and event.user_id = shown.user_id and event.revision = shown.revision
    order by shown.login`.execute(ctx.db);
  // A page beyond the last has only the total.
  return { total: rows[0]?.total ?? 0, members: rows.filter(({ login }) => login !== null) };
}

/** One query, whether or not a user has the address: a non-member is treated like nobody. */
export function findMemberByEmail({ db, org }: Ctx, email: string): Promise<{ login: string; role: Role } | undefined> {
  return db
    .selectFrom('user_account as person')
    .innerJoin('membership', 'membership.user_id', 'person.id')
    .select(['person.login', 'membership.role'])
    .where((row) => row(row.fn('lower', ['person.email']), '=', email.toLowerCase()))
    .where('membership.org_id', '=', org)
    .where('membership.removed_at', 'is', null)
    .executeTakeFirst();
}

/** The role of a user in the org; undefined for a non-member. */
export function findMemberRole({ db, org }: Ctx, userId: string): Promise<Role | undefined> {
  return store.findRole(db, org, userId);
}

/** How many people are admins of the org. */
export function countAdmins({ db, org }: Ctx): Promise<number> {
  return store.countAdmins(db, org);
}
