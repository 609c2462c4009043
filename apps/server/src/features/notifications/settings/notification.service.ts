import { NOTIFICATIONS_MAX, ORG_SCOPES_MAX, type TargetInput } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { invalid, invalidField, notFound } from '../../../platform/errors.ts';
import { emit, type Subject } from '../../../platform/journal/journal.ts';
import { keepRefusals } from '../mail-consent/mail-refusal.service.ts';
import { removeTargets, replaceTargets, type TargetParts } from '../targets/target.service.ts';
import { notificationCreated, notificationDeleted, notificationUpdated } from './notification.entries.ts';
import { type NotificationView, unknown, viewOf } from './notification.reads.ts';
import * as store from './notification.store.ts';

export interface NotificationPut {
  readonly kind: store.NotificationKind;
  readonly name: string;
  /** Names of environments or flows. */
  readonly scopes: readonly string[];
  readonly triggers: readonly string[];
  readonly targets: readonly TargetInput[];
}

export interface Put {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly notification: NotificationView;
}

const KINDS = {
  env: { scope: 'Environment', notification: 'an environment notification' },
  flow: { scope: 'Flow', notification: 'a flow notification' },
};

/** Creates it, or changes the one with that name. A repeat changes nothing. */
export function putNotification(ctx: Ctx, parts: TargetParts, put: NotificationPut): Promise<Put> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockNotifications(ctx.db, ctx.org);
    const known = await store.findByName(ctx.db, ctx.org, put.kind, put.name);
    return known ? change(ctx, parts, known, put) : create(ctx, parts, put);
  });
}

/** Changes the one with that number, including its name. */
export function updateNotification(ctx: Ctx, parts: TargetParts, number: number, put: NotificationPut): Promise<Put> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockNotifications(ctx.db, ctx.org);
    const known = await find(ctx, number, put.kind);
    const namesake = await store.findByName(ctx.db, ctx.org, put.kind, put.name);
    if (namesake && namesake.id !== known.id) {
      throw invalidField('name', `is taken: ${KINDS[put.kind].notification} '${put.name}' already exists`);
    }
    return change(ctx, parts, known, put);
  });
}

/** Returns its name. Its number is never reused. */
export function deleteNotification(ctx: Ctx, number: number, kind?: store.NotificationKind): Promise<string> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockNotifications(ctx.db, ctx.org);
    const known = await find(ctx, number, kind);
    await removeTargets(ctx, sourceOf(known));
    await store.deleteScopes(ctx.db, ctx.org, known.id);
    const now = ctx.now();
    const deleted = await store.updateNotification(ctx.db, known, { deleted_at: now, last_modified_at: now });
    const payload = { number, type: deleted.kind, name: deleted.name };
    await emit(ctx, notificationDeleted, subjectOf(deleted), payload);
    return deleted.name;
  });
}

async function find(ctx: Ctx, number: number, kind?: store.NotificationKind): Promise<store.NotificationRow> {
  const known = await store.findByNumber(ctx.db, ctx.org, number);
  if (!known || (kind && known.kind !== kind)) throw unknown(number, kind);
  return known;
}

async function create(ctx: Ctx, parts: TargetParts, put: NotificationPut): Promise<Put> {
  const scopes = await findScopes(ctx, put);
  const { active, highest } = await store.countNotifications(ctx.db, ctx.org);
  if (active >= NOTIFICATIONS_MAX) {
    throw invalidField(
      'name',
      `would be one too many: the org already has ${NOTIFICATIONS_MAX} notifications, which is the maximum`,
    );
  }
  const now = ctx.now();
  const row = await store.insertNotification(ctx.db, {
    org_id: ctx.org,
    id: ctx.newId(),
    number: highest + 1,
    kind: put.kind,
    name: put.name,
    triggers: distinct(put.triggers),
    created_at: now,
    created_by: ctx.actor.name,
    last_modified_at: now,
  });
  await setScopes(ctx, row.id, idsOf(scopes));
  await replaceTargets(ctx, parts.secretBox, sourceOf(row), put.targets, parts.networks);
  const notification = await viewOf(ctx, row);
  await emit(ctx, notificationCreated, subjectOf(row), payloadOf(notification));
  return { outcome: 'created', notification };
}

async function change(ctx: Ctx, parts: TargetParts, known: store.NotificationRow, put: NotificationPut): Promise<Put> {
  const scopes = await findScopes(ctx, put);
  // Archived scopes are not visible to anybody, so leaving them out is not a change.
  const isSameScope = isSameList(idsOf(await store.listScopes(ctx.db, ctx.org, [known.id])), idsOf(scopes));
  const triggers = distinct(put.triggers);
  const isSame = isSameScope && put.name === known.name && isSameList(triggers, known.triggers);
  const targets = await replaceTargets(ctx, parts.secretBox, sourceOf(known), put.targets, parts.networks);
  if (isSame && targets === 'unchanged') return { outcome: 'unchanged', notification: await viewOf(ctx, known) };
  if (!isSameScope) {
    await store.deleteScopes(ctx.db, ctx.org, known.id);
    await setScopes(ctx, known.id, idsOf(scopes));
  }
  const { name } = put;
  const row = await store.updateNotification(ctx.db, known, { name, triggers, last_modified_at: ctx.now() });
  // From now on the refusals of a notification with this name apply to it.
  if (name !== known.name) await keepRefusals(ctx, row.id);
  const notification = await viewOf(ctx, row);
  await emit(ctx, notificationUpdated, subjectOf(row), payloadOf(notification));
  return { outcome: 'updated', notification };
}

/** Without duplicates, in the given order. */
async function findScopes(ctx: Ctx, { kind, scopes }: NotificationPut): Promise<store.NotificationScope[]> {
  const found = await store.findScopes(ctx.db, ctx.org, kind, distinct(scopes));
  const byId = new Map<string, store.NotificationScope>();
  for (const name of scopes) {
    const scope = found.get(name);
    if (!scope) throw notFound(KINDS[kind].scope, name);
    byId.set(scope.id, scope);
  }
  return [...byId.values()];
}

function payloadOf({ number, kind, name, scopes, triggers, targets }: NotificationView) {
  return {
    number,
    type: kind,
    name,
    scopes: scopes.map((scope) => ({ id: scope.id, name: scope.name })),
    triggers,
    targets: targets.map((target) => ({
      id: target.id,
      type: target.kind,
      host: target.url_host,
      emails: target.emails,
    })),
  };
}

function sourceOf({ id }: store.NotificationRow) {
  return { id, configType: null };
}

function subjectOf({ id, revision }: store.NotificationRow): Subject {
  return { kind: 'notification', id, seq: revision };
}

function idsOf(scopes: readonly store.NotificationScope[]): string[] {
  return scopes.map(({ id }) => id);
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function isSameList(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, place) => one === others[place]);
}

async function setScopes({ db, org }: Ctx, notificationId: string, scopeIds: readonly string[]): Promise<void> {
  await store.insertScopes(db, org, notificationId, scopeIds);
  if ((await store.countScopes(db, org)) <= ORG_SCOPES_MAX) return;
  const reason =
    `The notifications of an org can name at most ${ORG_SCOPES_MAX} environments and flows in total, ` +
    'and this would be more';
  throw invalid(reason);
}
