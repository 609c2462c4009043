import type { NotificationType, TargetInput } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { emit, type Subject } from '../../../platform/journal/journal.ts';
import { removeTargets, replaceTargets, type TargetParts, type TargetSource } from '../targets/target.service.ts';
import { notificationConfigRemoved, notificationConfigSet } from './notification-config.entries.ts';
import { type ConfigView, readConfig } from './notification-config.reads.ts';
import * as store from './notification-config.store.ts';

/** Sets the targets. Without a change nothing is recorded. */
export async function putConfig(
  ctx: Ctx,
  { secretBox, networks }: TargetParts,
  type: NotificationType,
  inputs: readonly TargetInput[],
): Promise<ConfigView> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockConfig(ctx.db, ctx.org, type);
    const known = await store.findConfig(ctx.db, ctx.org, type);
    const outcome = await replaceTargets(ctx, secretBox, sourceOf(ctx, type), inputs, networks);
    const config = await readConfig(ctx, type);
    if (outcome === 'changed' || !known?.configured_at) await recordSet(ctx, config);
    return config;
  });
}

/** Returns to derived recipients. */
export async function deleteConfig(ctx: Ctx, type: NotificationType): Promise<ConfigView> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockConfig(ctx.db, ctx.org, type);
    const known = await store.findConfig(ctx.db, ctx.org, type);
    if (known?.configured_at) {
      await removeTargets(ctx, sourceOf(ctx, type));
      const revision = await store.upsertConfig(ctx.db, ctx.org, type, { configured_at: null, configured_by: null });
      await emit(ctx, notificationConfigRemoved, subjectOf(ctx, revision), { notification_type: type });
    }
    return readConfig(ctx, type);
  });
}

async function recordSet(ctx: Ctx, { type, targets }: ConfigView): Promise<void> {
  const configured = { configured_at: ctx.now(), configured_by: ctx.actor.name };
  const revision = await store.upsertConfig(ctx.db, ctx.org, type, configured);
  await emit(ctx, notificationConfigSet, subjectOf(ctx, revision), {
    notification_type: type,
    targets: targets.map(({ id, kind, url_host, emails }) => ({ id, type: kind, host: url_host, emails })),
  });
}

function sourceOf(ctx: Ctx, type: NotificationType): TargetSource {
  return { id: ctx.org, configType: type };
}

function subjectOf(ctx: Ctx, revision: number): Subject {
  return { kind: 'notification_config', id: ctx.org, seq: revision };
}
