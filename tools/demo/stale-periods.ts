import { lockEnvironment } from '../../apps/server/src/features/environment-settings/environment.store.ts';
import { environmentWentStale } from '../../apps/server/src/features/environments/freshness.entries.ts';
import { updateRevision } from '../../apps/server/src/features/environments/freshness.store.ts';
import { watchFreshness } from '../../apps/server/src/features/environments/freshness.tasks.ts';
import { inTransaction, systemCtx } from '../../apps/server/src/platform/ctx.ts';
import { emit } from '../../apps/server/src/platform/journal/journal.ts';
import { epochSeconds } from '../../apps/server/src/platform/time.ts';
import type { DemoApi } from './demo-api.ts';
import { plus } from './moments.ts';

/**
 * Records at the time of the clock that an environment is stale. The scheduled task does not: it ignores the time
 * before PostgreSQL was started, which is most of the history. So this writes what the task would.
 */
export async function recordPastStalePeriod(api: DemoApi, orgId: string, environmentId: string): Promise<void> {
  const ctx = { ...systemCtx(api.db, orgId, 'freshness', api.log), now: api.now };
  await inTransaction(ctx, async (ctx) => {
    await lockEnvironment(ctx.db, ctx.org, environmentId);
    const { last_reported_at, expected_report_interval_s: expected } = await ctx.db
      .selectFrom('environment_heartbeat as beat')
      .innerJoin('environment', (join) =>
        join.onRef('environment.org_id', '=', 'beat.org_id').onRef('environment.id', '=', 'beat.environment_id'),
      )
      .select(['beat.last_reported_at', 'environment.expected_report_interval_s'])
      .where('beat.org_id', '=', ctx.org)
      .where('beat.environment_id', '=', environmentId)
      .executeTakeFirstOrThrow();
    const allowed = expected ?? 300;
    await ctx.db
      .updateTable('environment_heartbeat')
      .set({ silent_since: plus(last_reported_at, allowed * 1000) })
      .where('org_id', '=', ctx.org)
      .where('environment_id', '=', environmentId)
      .execute();
    const { name, revision } = await updateRevision(ctx.db, ctx.org, environmentId);
    await emit(
      ctx,
      environmentWentStale,
      { kind: 'environment', id: environmentId, seq: revision },
      { environment: name, last_reported_at: epochSeconds(last_reported_at), allowed_seconds: allowed },
    );
  });
}

/** The task itself records that it reports again. */
export async function recordReturns(api: DemoApi): Promise<void> {
  await watchFreshness(api.log, api.now).run(api.db);
}
