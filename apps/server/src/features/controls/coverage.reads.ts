import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import type { ControlRow } from './control.store.ts';

export interface CoverageFilter {
  /** Part of the name of the environment. */
  readonly contains: string | undefined;
  readonly covered: boolean | undefined;
}

export interface EnvironmentCoverage {
  readonly name: string;
  readonly type: string;
  readonly covered: boolean;
  /** The attached policies that ask for the control. */
  readonly policies: string[];
}

/** How many environments there are, and how many of them cover the control. */
export async function countCoverage(
  ctx: Ctx,
  control: ControlRow,
  contains: string | undefined,
): Promise<{ total: number; covered: number }> {
  const { rows } = await sql<{ total: number; covered: number }>`
    select count(*) as total, count(*) filter (where covered) as covered
    from (${coverage(ctx, control, contains)}) as environment`.execute(ctx.db);
  return rows[0] ?? { total: 0, covered: 0 };
}

export async function listCoveragePage(
  ctx: Ctx,
  control: ControlRow,
  { contains, covered }: CoverageFilter,
  page: number,
  perPage: number,
): Promise<EnvironmentCoverage[]> {
  const { rows } = await sql<EnvironmentCoverage>`
    select name, type, covered, policies from (${coverage(ctx, control, contains)}) as environment
    where ${covered === undefined ? sql`true` : sql`covered = ${covered}`}
    order by name limit ${perPage} offset ${(page - 1) * perPage}`.execute(ctx.db);
  return rows;
}

/** A logical environment has no policies of its own and is covered as far as its members are. */
function coverage(ctx: Ctx, control: ControlRow, contains: string | undefined): RawBuilder<unknown> {
  const named = contains === undefined ? sql`` : sql`and strpos(lower(environment.name), lower(${contains})) > 0`;
  return sql`
    select environment.name, environment.type, asking.policies is not null as covered,
      coalesce(asking.policies, '{}') as policies
    from environment
    left join (
      select attached.environment_id, array_agg(policy.name order by policy.name) as policies
      from policy
      join policy_version as latest on latest.org_id = policy.org_id and latest.policy_id = policy.id
        and latest.version = policy.version
      join environment_policy as attached on attached.org_id = policy.org_id and attached.policy_id = policy.id
      where policy.org_id = ${ctx.org} and latest.controls @> array[${control.identifier}]
      group by attached.environment_id
    ) as asking on asking.environment_id = environment.id
    where environment.org_id = ${ctx.org} and environment.archived_at is null and environment.type <> 'logical' ${named}`;
}
