import type { Ctx } from '../../../platform/ctx.ts';
import { unprepared } from '../../../platform/db/statement.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { readSnapshotTimes } from '../../snapshots/read/prior-run.reads.ts';
import { OF_ENVIRONMENT } from '../../snapshots/read/run-intervals.reads.ts';

type OfEnvironment = { org_id: string; environment_id: string; index: number };

/** The verdict on a run in a snapshot, the snapshot that recorded it, and the first one since which compliance was the same. */
export interface RunHistory {
  readonly no: number;
  readonly compliance: RunCompliance;
  readonly judgedIn: number;
  readonly sinceIn: number;
  readonly waiverId: string | null;
}

interface HistoryRow {
  readonly no: number;
  readonly compliance: RunCompliance;
  readonly judged_in: number;
  readonly since_in: number;
  readonly waiver_id: string | null;
}

const OF_RUN = `${OF_ENVIRONMENT} and no = wanted.no`;

const listHistory = unprepared<OfEnvironment & { nos: readonly number[] }, HistoryRow>(
  'list_run_history',
  `select wanted.no, verdict.compliance, verdict.from_index as judged_in, verdict.waiver_id, begun.from_index as since_in
   from unnest(:nos::integer[]) as wanted (no)
   cross join lateral (
     select from_index, compliance, waiver_id from running_verdict
     where ${OF_RUN} and from_index <= :index::integer
     order by from_index desc limit 1
   ) as verdict
   left join lateral (
     select from_index from running_verdict
     where ${OF_RUN} and from_index < verdict.from_index and compliance <> verdict.compliance
     order by from_index desc limit 1
   ) as other on true
   cross join lateral (
     select from_index from running_verdict where ${OF_RUN} and from_index > coalesce(other.from_index, 0)
     order by from_index limit 1
   ) as begun`,
);

export async function readRunHistory(
  ctx: Ctx,
  environmentId: string,
  index: number,
  nos: readonly number[],
): Promise<Map<number, RunHistory>> {
  if (nos.length === 0) return new Map();
  const rows = await listHistory(ctx.db, { org_id: ctx.org, environment_id: environmentId, index, nos });
  return new Map(
    rows.map(({ no, compliance, judged_in: judgedIn, since_in: sinceIn, waiver_id: waiverId }) => [
      no,
      { no, compliance, judgedIn, sinceIn, waiverId },
    ]),
  );
}

/** Finds the last snapshot in each other state, and the latest of those: an index has them in this order. */
const findOther = unprepared<OfEnvironment & { compliance: string }, { index: number }>(
  'find_snapshot_of_other_compliance',
  `select candidate.index
   from (values ('compliant'), ('non-compliant'), ('unknown')) as other (compliance)
   cross join lateral (
     select index, compliance from snapshot
     where org_id = :org_id and environment_id = :environment_id
       and (compliance, index) < (other.compliance, :index::integer + 1)
     order by compliance desc, index desc limit 1
   ) as candidate
   where other.compliance <> :compliance::text and candidate.compliance = other.compliance
   order by candidate.index desc limit 1`,
);

/** Returns the first snapshot since which the environment has had the compliance of this one. */
export async function findSinceIn(ctx: Ctx, environmentId: string, index: number, compliance: string): Promise<number> {
  const at = { org_id: ctx.org, environment_id: environmentId, index };
  const [other] = await findOther(ctx.db, { ...at, compliance });
  return other ? other.index + 1 : 1;
}

/** When snapshots were made, in seconds since 1970. */
export async function readTimes(
  ctx: Ctx,
  environmentId: string,
  indexes: Iterable<number>,
): Promise<(index: number) => number | null> {
  const times = await readSnapshotTimes(ctx, environmentId, indexes, false);
  return (index) => {
    const at = times.get(index);
    return at === undefined ? null : at / 1000;
  };
}
