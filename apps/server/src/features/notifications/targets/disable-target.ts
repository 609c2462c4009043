import { inTransaction, systemCtx } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import { emit } from '../../../platform/journal/journal.ts';
import type { Logger } from '../../../platform/log.ts';
import { dropWaiting } from '../queue/delivery-queue.store.ts';
import { targetDisabled } from './target-disabled.entries.ts';
import { enqueueToAdmins } from './target-disabled.mail.ts';
import { updateToDisabled } from './target-disabled.store.ts';

/** Disables a target: drops its waiting deliveries, sends nothing more until it is put again, and mails the admins. */
export async function disableTarget(
  { db, log }: { readonly db: Db; readonly log: Logger },
  { org_id, target_id }: { readonly org_id: string; readonly target_id: string },
  { because, at }: { readonly because: string; readonly at: Date },
): Promise<void> {
  await inTransaction({ ...systemCtx(db, org_id, 'deliveries', log), now: () => at }, async (ctx) => {
    await lockSubject(ctx.db, org_id, 'target', target_id);
    const target = await updateToDisabled(ctx.db, org_id, target_id, { because, at });
    if (!target) return;
    const dropped = await dropWaiting(ctx.db, org_id, { target: target_id, now: at });
    const { source_id, config_type, kind, url_host: host } = target;
    const subject = { kind: 'target', id: target_id, seq: target.revision };
    await emit(ctx, targetDisabled, subject, { source_id, config_type, kind, host, because, dropped });
    await enqueueToAdmins(ctx.db, org_id, at);
  });
}
