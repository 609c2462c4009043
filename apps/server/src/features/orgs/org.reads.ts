import type { ChangeControlMode, FindingLevel, Role } from '@waymark/contract';
import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { ARRAY_MAX } from '../../platform/db/paginate.ts';
import { invalid, invalidField } from '../../platform/errors.ts';

export interface OrgView {
  readonly name: string;
  readonly kind: 'personal' | 'shared';
  readonly experimental_features_enabled: boolean;
  readonly findings_fail_at: FindingLevel | null;
  readonly refuse_unverified: boolean;
  readonly members_visible: boolean;
  readonly waiver_max_days: number | null;
  readonly reason_min_length: number;
  readonly suspension_delay_hours: number;
  readonly change_control: ChangeControlMode;
  readonly created_at: Date;
  readonly last_modified_at: Date | null;
}

/** Applies while an org has set no level at which findings fail. */
export const DEFAULT_FAILS_AT: FindingLevel = 'error';

/** The org of the context. */
export function readOrg({ db, org }: Ctx): Promise<OrgView> {
  return db
    .selectFrom('org')
    .select(['name', 'kind', 'experimental_features_enabled', 'findings_fail_at', 'suspension_delay_hours'])
    .select([
      'refuse_unverified',
      'members_visible',
      'waiver_max_days',
      'reason_min_length',
      'change_control',
      'created_at',
      'last_modified_at',
    ])
    .where('id', '=', org)
    .executeTakeFirstOrThrow();
}

export interface WaiverRules {
  /** Null if waivers may last. */
  readonly waiver_max_days: number | null;
  readonly reason_min_length: number;
}

/** Refuses a reason that is shorter than the org demands; `field` is that of the request. */
export async function requireReason(ctx: Ctx, reason: string, field: string): Promise<WaiverRules> {
  const rules = await readOrg(ctx);
  const { reason_min_length: least } = rules;
  if (Array.from(reason.trim()).length < least)
    throw invalidField(field, `must have at least ${least} characters, which this org demands of reasons`);
  return rules;
}

export interface OrgRow {
  readonly id: string;
  readonly name: string;
  readonly kind: 'personal' | 'shared';
  readonly sso_enforced_at: Date | null;
}

const ROW_COLUMNS = ['id', 'name', 'kind', 'sso_enforced_at'] as const;

export function readOrgRow(db: Db, id: string): Promise<OrgRow> {
  return db.selectFrom('org').select(ROW_COLUMNS).where('id', '=', id).executeTakeFirstOrThrow();
}

export function findOrgByName(db: Db, name: string): Promise<OrgRow | undefined> {
  return db.selectFrom('org').select(ROW_COLUMNS).where('name', '=', name).executeTakeFirst();
}

export function findOrgById(db: Db, id: string): Promise<OrgRow | undefined> {
  return db.selectFrom('org').select(ROW_COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** Those of the names that an org has. */
export async function listTakenNames(db: Db, names: readonly string[]): Promise<string[]> {
  const taken = db.selectFrom('org').select('name').where(sql<SqlBool>`name = any(${names}::text[])`);
  return (await taken.execute()).map(({ name }) => name);
}

/** Names of orgs by id, for rows that several orgs recorded. */
export async function readOrgNames(db: Db, ids: readonly string[]): Promise<(id: string) => string> {
  const orgs = db
    .selectFrom('org')
    .select(['id', 'name'])
    .where(sql<SqlBool>`id = any(${[...new Set(ids)]}::uuid[])`);
  const names = new Map(ids.length === 0 ? [] : (await orgs.execute()).map(({ id, name }) => [id, name]));
  return (id) => {
    const name = names.get(id);
    if (name === undefined) throw new Error(`org ${id} has no name`);
    return name;
  };
}

/** How many orgs a person created. */
export async function countCreatedOrgs(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('org')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('creating_user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Members, invitations and service accounts are for shared orgs. */
export async function requireShared(ctx: Ctx, otherwise: string): Promise<void> {
  const { kind } = await readOrg(ctx);
  if (kind === 'personal') throw invalid(otherwise);
}

export interface OwnOrg {
  readonly id: string;
  readonly name: string;
  readonly kind: 'personal' | 'shared';
  readonly role: Role;
  readonly members_visible: boolean;
}

/** The orgs that the caller may enter with their credential, by name. */
export function listOwnOrgs(ctx: Ctx): Promise<OwnOrg[]> {
  const { actor, credential } = ctx;
  if (actor.kind !== 'user') return listAccountOrg(ctx);
  let query = ctx.db
    .selectFrom('membership')
    .innerJoin('org', 'org.id', 'membership.org_id')
    .select(['org.id', 'org.name', 'org.kind', 'membership.role', 'org.members_visible'])
    .where('membership.user_id', '=', actor.id)
    .where('membership.removed_at', 'is', null);
  if (credential?.onlyOrg) query = query.where('membership.org_id', '=', credential.onlyOrg);
  return query.orderBy('org.name').limit(ARRAY_MAX).execute();
}

/** A service account has one org, its own. */
function listAccountOrg({ db, org, actor }: Ctx): Promise<OwnOrg[]> {
  return db
    .selectFrom('service_account as account')
    .innerJoin('org', 'org.id', 'account.org_id')
    .select(['org.id', 'org.name', 'org.kind', 'account.privilege as role', 'org.members_visible'])
    .where('account.org_id', '=', org)
    .where('account.id', '=', actor.id ?? '')
    .execute();
}
