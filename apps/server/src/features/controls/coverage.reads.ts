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
  /** The attached policies that require the control. */
  readonly policies: string[];
  /** Null when no policy requires it, nothing was reported yet, or something is not judged by the latest version. */
  readonly passing: boolean | null;
  readonly artifacts: number;
  readonly failing_artifacts: number;
}

/** How many environments there are, how many of them cover the control, and in how many everything that runs passes. */
export async function countCoverage(
  ctx: Ctx,
  control: ControlRow,
  contains: string | undefined,
): Promise<{ total: number; covered: number; passing: number }> {
  const { rows } = await sql<{ total: number; covered: number; passing: number }>`
    select count(*) as total, count(*) filter (where covered) as covered, count(*) filter (where passing) as passing
    from (${coverage(ctx, control, contains)}) as environment`.execute(ctx.db);
  return rows[0] ?? { total: 0, covered: 0, passing: 0 };
}

export async function listCoveragePage(
  ctx: Ctx,
  control: ControlRow,
  { contains, covered }: CoverageFilter,
  page: number,
  perPage: number,
): Promise<EnvironmentCoverage[]> {
  const { rows } = await sql<EnvironmentCoverage>`
    select name, type, covered, policies, passing, artifacts, failing_artifacts from (${coverage(ctx, control, contains)}) as environment
    where ${covered === undefined ? sql`true` : sql`covered = ${covered}`}
    order by name limit ${perPage} offset ${(page - 1) * perPage}`.execute(ctx.db);
  return rows;
}

/**
 * An unreadable decision counts as failing. A logical environment has no policies of its own and is covered as far as
 * its members are.
 */
function coverage(ctx: Ctx, control: ControlRow, contains: string | undefined): RawBuilder<unknown> {
  const named = contains === undefined ? sql`` : sql`and strpos(lower(environment.name), lower(${contains})) > 0`;
  return sql`
    select environment.name, environment.type, asking.policies is not null as covered,
      coalesce(asking.policies, '{}') as policies,
      case when environment.snapshot_count = 0 or judged.undecided then null
        else judged.failing_artifacts = 0 end as passing,
      coalesce(judged.artifacts, 0)::integer as artifacts,
      coalesce(judged.failing_artifacts, 0)::integer as failing_artifacts
    from environment
    left join (
      select attached.environment_id, array_agg(policy.name order by policy.name) as policies,
        array_agg(policy.id) as ids, array_agg(policy.version) as versions
      from policy
      join policy_version as latest on latest.org_id = policy.org_id and latest.policy_id = policy.id
        and latest.version = policy.version
      join environment_policy as attached on attached.org_id = policy.org_id and attached.policy_id = policy.id
      where policy.org_id = ${ctx.org} and latest.controls @> array[${control.identifier}]
      group by attached.environment_id
    ) as asking on asking.environment_id = environment.id
    left join lateral (
      select count(*) as artifacts, count(*) filter (where outcome.fails) as failing_artifacts,
        coalesce(bool_or(outcome.decided < cardinality(asking.ids)), false) as undecided
      from running
      join running_verdict as verdict on verdict.org_id = running.org_id
        and verdict.environment_id = running.environment_id and verdict.no = running.no and verdict.until_index is null
      cross join lateral (
        select count(*) as decided, coalesce(bool_or(shown.content is null or decision.status = 'NON-COMPLIANT' and exists (
          select from json_array_elements(shown.content -> 'rule_evaluations') as evaluation
          where evaluation ->> 'satisfied' = 'false'
            and evaluation -> 'rule' -> 'definition' ->> 'for_control' = ${control.identifier})), false) as fails
        from unnest(asking.ids, asking.versions) as policy (id, version)
        join decision on decision.org_id = ${ctx.org} and decision.id = any(verdict.decision_ids)
          and decision.policy_id = policy.id and decision.policy_version = policy.version
        cross join lateral (select readable_json(decision.shown) as content offset 0) as shown
      ) as outcome
      where running.org_id = ${ctx.org} and running.environment_id = environment.id and running.until_index is null
    ) as judged on asking.ids is not null
    where environment.org_id = ${ctx.org} and environment.archived_at is null and environment.type <> 'logical' ${named}`;
}
