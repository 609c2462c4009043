import { allows } from '@waymark/contract';
import type { MessageContent, MessageTrigger } from '@waymark/messages';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { cut, decodeMoment, encodeMoment, type Moment } from '../../../platform/db/paginate.ts';
import { notFound } from '../../../platform/errors.ts';

export interface DeliveryFilter {
  readonly state?: DeliveryRow['state'];
  readonly targetId?: string;
  /** Number of a notification. */
  readonly notification?: number;
  readonly isTest?: boolean;
  readonly from?: Date;
  readonly to?: Date;
}

export type DeliveryRow = Awaited<ReturnType<typeof listRows>>[number];

/**
 * Whether the caller sees what configurations of the org send: it is about keys, and only for those who may change the
 * configurations. For others it does not exist.
 */
export function mayConfigure({ actor }: Ctx): boolean {
  return actor.kind === 'system' || allows(actor.role, 'configure_notifications');
}

/** Newest first, after the cursor, with the cursor of the rest, if any. */
export async function listDeliveries(ctx: Ctx, filter: DeliveryFilter, limit: number, after: string | undefined) {
  const where = conditions({
    ...filter,
    withConfigurations: mayConfigure(ctx),
    ...(after !== undefined && { before: decodeMoment(after) }),
  });
  const targets = await listWantedTargets(ctx, filter);
  const places = targets ? await newestOf(ctx, targets, where, limit + 1) : await newest(ctx, where, limit + 1);
  const { shown, last } = cut(places, limit);
  const ids = shown.map(({ id }) => id);
  const rows = await listRows(ctx.db, ctx.org, ids);
  return { deliveries: inOrderOf(ids, rows), next: last && encodeMoment({ at: last.created_at, receipt: last.place }) };
}

export async function readDelivery(ctx: Ctx, id: string): Promise<DeliveryRow> {
  const [row] = await listRows(ctx.db, ctx.org, [id]);
  if (!row || (row.config_type !== null && !mayConfigure(ctx))) throw notFound('Delivery', id);
  return row;
}

const ATTEMPTS_MAX = 500;

/** Oldest first; when there are very many, the newest of them. */
export async function listAttempts(ctx: Ctx, deliveryId: string) {
  const attempts = await ctx.db
    .selectFrom('delivery_attempt')
    .select(['no', 'at', 'request_id', 'outcome', 'status', 'latency_ms', 'error'])
    .where('org_id', '=', ctx.org)
    .where('delivery_id', '=', deliveryId)
    .orderBy('no', 'desc')
    .limit(ATTEMPTS_MAX)
    .execute();
  return attempts.reverse();
}

/** The targets that a filter selects, including removed ones; undefined when it does not filter by target. */
export async function listWantedTargets(
  ctx: Ctx,
  { targetId, notification }: Pick<DeliveryFilter, 'targetId' | 'notification'>,
): Promise<string[] | undefined> {
  if (targetId === undefined && notification === undefined) return undefined;
  const source = notification === undefined ? undefined : await findSource(ctx, notification);
  let query = ctx.db.selectFrom('notification_target').select(['id', 'source_id']).where('org_id', '=', ctx.org);
  if (!mayConfigure(ctx)) query = query.where('config_type', 'is', null);
  if (targetId !== undefined) query = query.where('id', '=', targetId);
  else if (source !== undefined) query = query.where('source_id', '=', source);
  const found = await query.execute();
  if (targetId !== undefined && found.length === 0) throw notFound('Target', targetId);
  return found.filter((target) => source === undefined || target.source_id === source).map(({ id }) => id);
}

/** Also finds a deleted one: its deliveries can still be read. */
async function findSource(ctx: Ctx, number: number): Promise<string> {
  const found = await ctx.db
    .selectFrom('notification')
    .select('id')
    .where('org_id', '=', ctx.org)
    .where('number', '=', number)
    .executeTakeFirst();
  if (!found) throw notFound('Notification', String(number));
  return found.id;
}

interface Place {
  readonly id: string;
  readonly created_at: Date;
  readonly place: number;
}

async function newest(ctx: Ctx, where: RawBuilder<SqlBool>, limit: number): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select d.id, d.created_at, d.place
    from delivery d
    where d.org_id = ${ctx.org} and ${where}
    order by d.created_at desc, d.place desc
    limit ${limit}`.execute(ctx.db);
  return rows;
}

/** Reads a few of each target and takes the newest, so that the cost does not depend on other targets. */
async function newestOf(
  ctx: Ctx,
  targets: readonly string[],
  where: RawBuilder<SqlBool>,
  limit: number,
): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select newest.id, newest.created_at, newest.place
    from unnest(${targets}::uuid[]) as wanted (id)
    cross join lateral (
      select d.id, d.created_at, d.place
      from delivery d
      where d.org_id = ${ctx.org} and d.target_id = wanted.id and ${where}
      order by d.created_at desc, d.place desc
      limit ${limit}
    ) newest
    order by newest.created_at desc, newest.place desc
    limit ${limit}`.execute(ctx.db);
  return rows;
}

function conditions(
  filter: DeliveryFilter & { readonly before?: Moment; readonly withConfigurations: boolean },
): RawBuilder<SqlBool> {
  const all = [sql<SqlBool>`true`];
  if (!filter.withConfigurations) {
    all.push(sql`not exists (
      select from message m where m.org_id = d.org_id and m.id = d.message_id and m.config_type is not null
    )`);
  }
  if (filter.state !== undefined) all.push(sql`d.state = ${filter.state}`);
  if (filter.isTest !== undefined) {
    all.push(sql`exists (
      select from message m where m.org_id = d.org_id and m.id = d.message_id
        and (m.trigger = 'TEST') = ${filter.isTest}::boolean
    )`);
  }
  if (filter.from) all.push(sql`d.created_at >= ${filter.from}`);
  if (filter.to) all.push(sql`d.created_at <= ${filter.to}`);
  if (filter.before) all.push(sql`(d.created_at, d.place) < (${filter.before.at}, ${filter.before.receipt})`);
  return sql<SqlBool>`${sql.join(all, sql` and `)}`;
}

function listRows(db: Db, org: string, ids: readonly string[]) {
  return db
    .selectFrom('delivery as d')
    .innerJoin('message as m', (join) => join.onRef('m.org_id', '=', 'd.org_id').onRef('m.id', '=', 'd.message_id'))
    .innerJoin('notification_target as t', (join) =>
      join.onRef('t.org_id', '=', 'd.org_id').onRef('t.id', '=', 'd.target_id'),
    )
    .leftJoin('target_state as s', (join) =>
      join.onRef('s.org_id', '=', 'd.org_id').onRef('s.target_id', '=', 'd.target_id'),
    )
    .leftJoin('notification as n', (join) =>
      join.onRef('n.org_id', '=', 'm.org_id').onRef('n.id', '=', 'm.source_id').on('m.config_type', 'is', null),
    )
    .select(['d.id', 'd.target_id', 'd.address', 'd.state', 'd.attempts', 'd.due_at', 'd.created_at', 'd.ended_at'])
    .select([
      'm.config_type',
      'm.sequence',
      'm.count',
      'm.created_at as message_created_at',
      't.kind',
      't.url_host',
      's.paused_until',
    ])
    .select(['d.dropped_because', 'n.number as notification_number', 'n.name as notification_name'])
    .select((is) => [
      is.ref('m.trigger').$castTo<MessageTrigger>().as('trigger'),
      is.ref('m.content').$castTo<MessageContent>().as('content'),
    ])
    .where('d.org_id', '=', org)
    .where(sql<SqlBool>`d.id = any(${ids}::uuid[])`)
    .execute();
}

function inOrderOf(ids: readonly string[], rows: readonly DeliveryRow[]): DeliveryRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
