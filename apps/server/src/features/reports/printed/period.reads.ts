import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { unprepared } from '../../../platform/db/statement.ts';
import type { RunCompliance, SnapshotTrigger } from '../../../platform/db/tables.ts';
import { requireStored } from '../../../platform/stored-json.ts';
import {
  OF_ENVIRONMENT,
  type RunInterval,
  STARTED_IN_INTERVAL,
  verdictsInInterval,
} from '../../snapshots/read/run-intervals.reads.ts';
import type { Period } from './period.ts';

/** A snapshot in which the compliance or the policies of the environment changed. */
export interface Change {
  readonly index: number;
  readonly created_at: Date;
  readonly trigger: SnapshotTrigger;
  readonly compliance: 'compliant' | 'non-compliant' | 'unknown';
  readonly policy_set_id: string | null;
}

/** In order, including the first snapshot of the interval. */
export const listChanges = unprepared<RunInterval & { limit: number }, Change>(
  'list_reported_changes',
  `select index, created_at, trigger, compliance, policy_set_id from (
     select index, created_at, trigger, compliance, policy_set_id,
       lag(compliance) over in_order as compliance_before, lag(policy_set_id) over in_order as set_before
     from snapshot where ${OF_ENVIRONMENT} and index between :first and :last
     window in_order as (order by index)
   ) as made
   where index = :first or compliance <> compliance_before or policy_set_id is distinct from set_before
   order by index limit :limit`,
);

export interface Run {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly from_index: number;
  readonly until_index: number | null;
}

const RUN = 'no, name, fingerprint, from_index, until_index';

/** Runs that started after the first snapshot, newest first. */
export const listRunsStarted = unprepared<RunInterval & { limit: number }, Run>(
  'list_reported_started',
  `select ${RUN} from running where ${OF_ENVIRONMENT} and ${STARTED_IN_INTERVAL}
   order by from_index desc, no desc limit :limit`,
);

export const countRunsStarted = unprepared<RunInterval, { total: number }>(
  'count_reported_started',
  `select count(*)::integer as total from running where ${OF_ENVIRONMENT} and ${STARTED_IN_INTERVAL}`,
);

export const listRunsNumbered = unprepared<RunInterval & { nos: readonly number[] }, Run>(
  'list_reported_runs',
  `select run.* from unnest(:nos::integer[]) as wanted (no)
   cross join lateral (select ${RUN} from running where ${OF_ENVIRONMENT} and no = wanted.no limit 1) as run`,
);

export interface ReportedVerdict {
  readonly no: number;
  readonly from_index: number;
  readonly until_index: number | null;
  readonly compliance: RunCompliance;
  readonly artifact_ids: string[];
  readonly decision_ids: string[];
  readonly waiver_id: string | null;
}

/** Verdicts on these runs in the interval, in order: the last fifty of each. */
export const listVerdicts = unprepared<RunInterval & { nos: readonly number[] }, ReportedVerdict>(
  'list_reported_verdicts',
  `select verdict.*
   from ${verdictsInInterval(
     'no, from_index, until_index, compliance, artifact_ids, decision_ids, waiver_id',
     'order by from_index desc limit 50',
   )}
   order by run.place, verdict.from_index`,
);

export interface PolicyVersion {
  readonly policy_id: string;
  readonly version: number;
  readonly comment: string;
  readonly created_at: Date;
  readonly created_by: string;
}

/** Names and versions of the policies in each set. */
export async function readPolicySets(
  ctx: Ctx,
  ids: readonly string[],
): Promise<Map<string, { id: string; name: string; version: number }[]>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .selectFrom('policy_set')
    .select(['id', 'content'])
    .where('org_id', '=', ctx.org)
    .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
    .execute();
  return new Map(
    rows.map(({ id, content }) => [
      id,
      requireStored<{ id: string; name: string; version: number }[]>('policy_set', id, content),
    ]),
  );
}

export function listPolicyVersions(ctx: Ctx, policyIds: readonly string[]): Promise<PolicyVersion[]> {
  return ctx.db
    .selectFrom('policy_version')
    .select(['policy_id', 'version', 'comment', 'created_at', 'created_by'])
    .where('org_id', '=', ctx.org)
    .where(sql<SqlBool>`policy_id = any(${policyIds}::uuid[])`)
    .execute();
}

/** Waivers that were active at some time in the period, newest first. */
export function listWaiversIn(ctx: Ctx, environmentId: string, { from, to }: Period, limit: number) {
  return ctx.db
    .selectFrom('waiver')
    .selectAll()
    .where('org_id', '=', ctx.org)
    .where('environment_id', '=', environmentId)
    .where('created_at', '<', to)
    .where(sql<SqlBool>`coalesce(least(ended_at, expires_at), 'infinity') > ${from}`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export type ReportedWaiver = Awaited<ReturnType<typeof listWaiversIn>>[number];
