import type { Ctx } from '../../../platform/ctx.ts';
import { notFound, type Problem } from '../../../platform/errors.ts';
import { listTargets, type TargetRow } from '../targets/target.reads.ts';
import * as store from './notification.store.ts';

export interface NotificationView extends store.NotificationRow {
  /** Environments or flows, by their current names. */
  readonly scopes: readonly store.NotificationScope[];
  readonly targets: readonly TargetRow[];
}

/** By number; of one kind, or of both. */
export async function listNotifications(ctx: Ctx, kind?: store.NotificationKind): Promise<NotificationView[]> {
  return viewsOf(ctx, await store.listNotifications(ctx.db, ctx.org, kind));
}

export async function readNotification(
  ctx: Ctx,
  number: number,
  kind?: store.NotificationKind,
): Promise<NotificationView> {
  const row = await store.findByNumber(ctx.db, ctx.org, number);
  if (!row || (kind && row.kind !== kind)) throw unknown(number, kind);
  return viewOf(ctx, row);
}

export async function viewOf(ctx: Ctx, row: store.NotificationRow): Promise<NotificationView> {
  const [view] = await viewsOf(ctx, [row]);
  if (!view) throw new Error('a notification has no view');
  return view;
}

export function unknown(number: number, kind?: store.NotificationKind): Problem {
  return notFound(kind ? KINDS[kind] : 'Notification', String(number));
}

const KINDS = { env: 'Environment notification', flow: 'Flow notification' };

async function viewsOf(ctx: Ctx, rows: readonly store.NotificationRow[]): Promise<NotificationView[]> {
  const ids = rows.map(({ id }) => id);
  const scopes = Map.groupBy(await store.listScopes(ctx.db, ctx.org, ids), (scope) => scope.notification_id);
  const targets = Map.groupBy(await listTargets(ctx.db, ctx.org, ids), (target) => target.source_id);
  return rows.map((row) => ({ ...row, scopes: scopes.get(row.id) ?? [], targets: targets.get(row.id) ?? [] }));
}
