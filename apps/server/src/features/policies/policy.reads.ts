import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { ARRAY_MAX, decodeCursor, encodeCursor, LIST_MAX_BYTES } from '../../platform/db/paginate.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { AttachedPolicy } from './attached.reads.ts';
import {
  findActive,
  findLatest,
  findVersion,
  type PolicyEventRow,
  type PolicyRow,
  type PolicyVersionRow,
} from './policy.store.ts';

export interface PolicyView extends PolicyRow {
  /** Oldest first. */
  readonly versions: readonly PolicyVersionRow[];
  /** Oldest first. */
  readonly events: readonly PolicyEventRow[];
  readonly consuming: readonly string[];
  /** The environments that it is attached to as report-only. */
  readonly reportOnly: readonly string[];
}

const EVENTS_SHOWN = 1_000;

/** The newest version of an active policy, or the requested one. */
export async function findPolicyVersion(ctx: Ctx, name: string, version?: number): Promise<AttachedPolicy> {
  const policy = await findActive(ctx.db, ctx.org, name);
  if (!policy) throw notFound('Policy', name);
  const found = await findVersion(ctx.db, ctx.org, policy.id, version ?? policy.version);
  if (!found) throw notFound('Policy version', `${name}@v${version}`);
  return { policy_id: policy.id, name, version: found.version, policy_yaml: found.policy_yaml };
}

/** The current text of an active policy; undefined when there is none. */
export async function findPolicyState(ctx: Ctx, name: string) {
  const policy = await findActive(ctx.db, ctx.org, name);
  const latest = policy && (await findVersion(ctx.db, ctx.org, policy.id, policy.version));
  if (!latest) return undefined;
  return { description: policy.description, version: policy.version, policy_yaml: latest.policy_yaml };
}

/** The active policy of this name, else the one that was archived last. */
export async function readPolicy(ctx: Ctx, name: string): Promise<PolicyView> {
  const policy = await findLatest(ctx.db, ctx.org, name);
  const [view] = policy ? await listViews(ctx, [policy]) : [];
  if (!view) throw notFound('Policy', name);
  return view;
}

/** The active policy of this name, else the one that was archived last, and when the requested version was made. */
export async function findPolicyVersionTime(ctx: Ctx, name: string, version?: number) {
  const policy = await findLatest(ctx.db, ctx.org, name);
  if (!policy) throw notFound('Policy', name);
  if (version === undefined) return { id: policy.id, made_at: undefined };
  const found = await findVersion(ctx.db, ctx.org, policy.id, version);
  if (!found) throw notFound('Policy version', `${name}@v${version}`);
  return { id: policy.id, made_at: found.created_at };
}

export interface PolicyFilter {
  readonly withArchived: boolean;
  readonly nameContains: string | undefined;
}

export async function countPolicies(ctx: Ctx, filter: PolicyFilter): Promise<number> {
  const { total } = await matching(ctx, filter)
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** By name, as many as fit, and the cursor of the rest if there is any. */
export async function listPolicies(ctx: Ctx, filter: PolicyFilter, after: string | undefined, limit = ARRAY_MAX) {
  const policies = await listSized(ctx, filter, after, limit);
  const shown = policies.slice(0, limit).filter(({ bytes_before }) => bytes_before < LIST_MAX_BYTES);
  const last = shown.length < policies.length ? shown.at(-1) : undefined;
  return { policies: await listViews(ctx, shown), next: last && encodeCursor({ value: last.id, name: last.name }) };
}

function matching(ctx: Ctx, { withArchived, nameContains }: PolicyFilter) {
  let query = ctx.db.selectFrom('policy').where('policy.org_id', '=', ctx.org);
  if (!withArchived) query = query.where('policy.archived_at', 'is', null);
  if (nameContains === undefined) return query;
  return query.where(sql<SqlBool>`strpos(lower(policy.name), lower(${nameContains})) > 0`);
}

/** Each with the approximate size of all that come before it. Only archived policies share a name. */
function listSized(ctx: Ctx, filter: PolicyFilter, after: string | undefined, limit: number) {
  const from = after === undefined ? undefined : placeOf(after);
  return matching(ctx, filter)
    .selectAll('policy')
    .select(
      sql<number>`coalesce(sum(500
        + (select sum(octet_length(policy_yaml) + octet_length(comment) + 200) from policy_version
           where policy_version.org_id = policy.org_id and policy_version.policy_id = policy.id)
        + (select 200 * count(*) from policy_event
           where policy_event.org_id = policy.org_id and policy_event.policy_id = policy.id)
        + (select 100 * count(*) from environment_policy
           where environment_policy.org_id = policy.org_id and environment_policy.policy_id = policy.id)
      ) over (order by policy.name, policy.id rows between unbounded preceding and 1 preceding), 0)::bigint`.as(
        'bytes_before',
      ),
    )
    .$if(from !== undefined, (query) =>
      query.where(sql<SqlBool>`(policy.name, policy.id) > (${from?.name}, ${from?.id}::uuid)`),
    )
    .orderBy('policy.name')
    .orderBy('policy.id')
    .limit(limit + 1)
    .execute();
}

function placeOf(after: string): { name: string; id: string } {
  const { name, value } = decodeCursor(after);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) {
    throw invalidField('query.after', 'is not a valid cursor of this list');
  }
  return { name, id: value };
}

/** For these policies, in their order: one batch each for versions, events and environments. */
async function listViews(ctx: Ctx, policies: readonly PolicyRow[]): Promise<PolicyView[]> {
  const ids = policies.map(({ id }) => id);
  const versions = Map.groupBy(await listVersions(ctx.db, ctx.org, ids), ({ policy_id }) => policy_id);
  const events = Map.groupBy(await listEvents(ctx.db, ctx.org, ids), ({ policy_id }) => policy_id);
  const consuming = Map.groupBy(
    await listEnvironments(ctx.db, ctx.org, ids, 'environment_policy'),
    ({ policy_id }) => policy_id,
  );
  const reported = Map.groupBy(
    await listEnvironments(ctx.db, ctx.org, ids, 'report_only_policy'),
    ({ policy_id }) => policy_id,
  );
  return policies.map((policy) => ({
    ...policy,
    versions: versions.get(policy.id) ?? [],
    events: events.get(policy.id) ?? [],
    consuming: (consuming.get(policy.id) ?? []).map(({ name }) => name),
    reportOnly: (reported.get(policy.id) ?? []).map(({ name }) => name),
  }));
}

function listVersions(db: Db, org: string, policyIds: readonly string[]): Promise<PolicyVersionRow[]> {
  return db
    .selectFrom('policy_version')
    .selectAll()
    .where('org_id', '=', org)
    .where(sql<SqlBool>`policy_id = any(${policyIds}::uuid[])`)
    .orderBy('version')
    .execute();
}

async function listEvents(db: Db, org: string, policyIds: readonly string[]): Promise<PolicyEventRow[]> {
  const { rows } = await sql<PolicyEventRow>`
    select latest.* from unnest(${policyIds}::uuid[]) as asked (id)
    cross join lateral (
      select * from policy_event where org_id = ${org} and policy_id = asked.id order by no desc limit ${EVENTS_SHOWN}
    ) as latest
    order by latest.no`.execute(db);
  return rows;
}

function listEnvironments(
  db: Db,
  org: string,
  policyIds: readonly string[],
  table: 'environment_policy' | 'report_only_policy',
) {
  return db
    .selectFrom(`${table} as attached`)
    .innerJoin('environment', (join) =>
      join.onRef('environment.org_id', '=', 'attached.org_id').onRef('environment.id', '=', 'attached.environment_id'),
    )
    .select(['attached.policy_id', 'environment.name'])
    .where('attached.org_id', '=', org)
    .where(sql<SqlBool>`attached.policy_id = any(${policyIds}::uuid[])`)
    .where('environment.archived_at', 'is', null)
    .orderBy('environment.name')
    .execute();
}
