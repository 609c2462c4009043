import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { emit } from '../../platform/journal/journal.ts';
import { epochSeconds } from '../../platform/time.ts';
import { environmentReportingAgain, environmentWentStale } from './freshness.entries.ts';
import * as store from './freshness.store.ts';

/** Records that an environment went stale, unless that is recorded already or no longer true. */
export function recordStale(ctx: Ctx, id: string, watch: store.Watch): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'environment', id);
    const stalePeriod = await store.updateToStale(ctx.db, ctx.org, id, watch);
    if (!stalePeriod) return;
    const { name, revision } = await store.updateRevision(ctx.db, ctx.org, id);
    await emit(
      ctx,
      environmentWentStale,
      { kind: 'environment', id, seq: revision },
      {
        environment: name,
        last_reported_at: epochSeconds(stalePeriod.last_reported_at),
        allowed_seconds: stalePeriod.allowed_seconds,
      },
    );
  });
}

/** Records that a stale period has ended, unless that is recorded already. */
export function recordReturn(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'environment', id);
    const stalePeriod = await store.findEndedStalePeriod(ctx.db, ctx.org, id);
    if (!stalePeriod) return;
    await store.updateToHeard(ctx.db, ctx.org, id);
    const { name, revision } = await store.updateRevision(ctx.db, ctx.org, id);
    await emit(
      ctx,
      environmentReportingAgain,
      { kind: 'environment', id, seq: revision },
      {
        environment: name,
        silent_since: epochSeconds(stalePeriod.silent_since),
        last_reported_at: epochSeconds(stalePeriod.last_reported_at),
      },
    );
  });
}
