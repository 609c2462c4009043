import type { NotificationType } from '@waymark/contract';
import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { listTargets, type TargetRow } from '../targets/target.reads.ts';

export interface ConfigView extends Bookkeeping {
  readonly type: NotificationType;
  readonly targets: readonly TargetRow[];
}

interface Bookkeeping {
  readonly lastNotifiedAt: Date | null;
  /** Null when something was delivered after it. */
  readonly lastFailure: { readonly at: Date; readonly error: string } | null;
}

export async function readConfig(ctx: Ctx, type: NotificationType): Promise<ConfigView> {
  const targets = await listTargets(ctx.db, ctx.org, [ctx.org]);
  return { type, targets, ...(await readBookkeeping(ctx, type)) };
}

/**
 * Of all targets that the configuration ever had, and of derived recipients: the messages of the past stay, whoever
 * gets them from now on.
 */
async function readBookkeeping({ db, org }: Ctx, type: NotificationType): Promise<Bookkeeping> {
  const { rows } = await sql<{ succeeded_at: Date | null; failed_at: Date | null; error: string | null }>`
    select max(state.last_success_at) over () as succeeded_at, state.last_failure_at as failed_at,
      state.last_error as error
    from notification_target as target
    join target_state as state on state.org_id = target.org_id and state.target_id = target.id
    where target.org_id = ${org} and target.source_id = ${org} and target.config_type = ${type}
    order by state.last_failure_at desc nulls last
    limit 1`.execute(db);
  const { succeeded_at = null, failed_at = null, error = null } = rows[0] ?? {};
  const isLast = failed_at !== null && (succeeded_at === null || failed_at > succeeded_at);
  return {
    lastNotifiedAt: succeeded_at,
    lastFailure: isLast ? { at: failed_at, error: error ?? 'unknown reason' } : null,
  };
}
