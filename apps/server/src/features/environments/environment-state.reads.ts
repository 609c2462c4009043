import type { EnvironmentCompliance } from '@waymark/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';

/**
 * Since when a report is overdue; null when it is not, or nothing was ever reported. For rows of `environment`, or its
 * alias, joined with their heartbeat as `beat`.
 */
export function staleSince(ctx: Ctx, environment = 'environment'): RawBuilder<Date | null> {
  const expected = sql.ref(`${environment}.expected_report_interval_s`);
  const overdueAt = sql`beat.last_reported_at + report_allowance(${expected}, beat.intervals)`;
  return sql`case when ${overdueAt} < ${ctx.now()} then ${overdueAt} end`;
}

/** Whether the environment currently has one of these, by the rules of `complianceNow` and `worstCompliance`. */
export function isOneOf(ctx: Ctx, compliances: readonly EnvironmentCompliance[]): RawBuilder<SqlBool> {
  const worst = sql`(
    select case
      when bool_or(part.compliance = 'non-compliant') then 'non-compliant'
      when bool_and(part.compliance = 'compliant' and ${staleSince(ctx, 'part')} is null) then 'compliant'
      else 'unknown'
    end
    from environment_member as member
    join environment as part on part.org_id = member.org_id and part.id = member.physical_id
    left join environment_heartbeat as beat on beat.org_id = part.org_id and beat.environment_id = part.id
    where member.org_id = ${ctx.org} and member.logical_id = environment.id and part.archived_at is null
  )`;
  const own = sql`case when environment.compliance = 'compliant' and exists (
      select from environment_heartbeat as beat
      where beat.org_id = ${ctx.org} and beat.environment_id = environment.id and ${staleSince(ctx)} is not null
    ) then 'unknown' else environment.compliance end`;
  return sql`case environment.type when 'logical' then ${worst} else ${own} end = any(${compliances}::text[])`;
}

/** Whether a report on an environment, or on one of its members, is overdue. */
export function isStale(ctx: Ctx): RawBuilder<SqlBool> {
  return sql`case environment.type
    when 'logical' then exists (
      select from environment_member as member
      join environment as part on part.org_id = member.org_id and part.id = member.physical_id
      join environment_heartbeat as beat on beat.org_id = member.org_id and beat.environment_id = member.physical_id
      where member.org_id = ${ctx.org} and member.logical_id = environment.id and part.archived_at is null
        and ${staleSince(ctx, 'part')} is not null
    )
    else exists (
      select from environment_heartbeat as beat
      where beat.org_id = ${ctx.org} and beat.environment_id = environment.id and ${staleSince(ctx)} is not null
    )
  end`;
}
