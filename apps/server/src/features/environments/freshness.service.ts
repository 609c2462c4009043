import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { emit } from '../../platform/journal/journal.ts';
import { epochSeconds } from '../../platform/time.ts';
import { environmentReportingAgain, environmentWentStale } from './freshness.entries.ts';
import * as store from './freshness.store.ts';

/** Records that an environment is silent, unless that is known or not so any more. */
export function recordStale(ctx: Ctx, id: string, watch: store.Watch): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'environment', id);
    const silence = await store.updateToStale(ctx.db, ctx.org, id, watch);
    if (!silence) return;
    const { name, revision } = await store.updateRevision(ctx.db, ctx.org, id);
    await emit(
      ctx,
      environmentWentStale,
      { kind: 'environment', id, seq: revision },
      {
        environment: name,
        last_reported_at: epochSeconds(silence.last_reported_at),
        allowed_seconds: silence.allowed_seconds,
      },
    );
  });
}

/** Records that a silence has ended, unless that is known. */
export function recordReturn(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'environment', id);
    const silence = await store.findEndedStalePeriod(ctx.db, ctx.org, id);
    if (!silence) return;
    await store.updateToHeard(ctx.db, ctx.org, id);
    const { name, revision } = await store.updateRevision(ctx.db, ctx.org, id);
    await emit(
      ctx,
      environmentReportingAgain,
      { kind: 'environment', id, seq: revision },
      {
        environment: name,
        silent_since: epochSeconds(silence.silent_since),
        last_reported_at: epochSeconds(silence.last_reported_at),
      },
    );
  });
}
