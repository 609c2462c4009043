import type { MessageContent, MessageTrigger } from '@waymark/messages';
import type { Db } from '../../../platform/db/db.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { DropReason } from '../send/mail-admission.service.ts';

/** A target with what is needed to send to it. */
export interface DueTarget {
  readonly org_id: string;
  readonly target_id: string;
  readonly kind: 'CHAT' | 'WEBHOOK' | 'EMAIL';
  readonly url_sealed: string | null;
  readonly secret_sealed: string | null;
  readonly old_secret_sealed: string | null;
  readonly old_secret_until: Date | null;
  readonly derived: boolean;
  readonly source_name: string | null;
  /** It was removed or disabled. */
  readonly is_over: boolean;
  readonly failures: number;
  /** It failed or was slow when last tried. */
  readonly troubled: boolean;
  /** The delivery that a lost worker was sending. */
  readonly sending_delivery: string | null;
}

/** For `state`, a relation with the columns of `target_state`. */
const TARGET = `
  select state.org_id, state.target_id, target.kind, target.url_sealed, target.secret_sealed, target.old_secret_sealed,
    target.old_secret_until, target.derived, notification.name as source_name, target.removed_at is not null or state.disabled_at is not null as is_over,
    state.failures, state.troubled, state.sending_delivery
  from state
  join notification_target as target on target.org_id = state.org_id and target.id = state.target_id
  left join notification on notification.org_id = target.org_id and notification.id = target.source_id
    and target.config_type is null`;

export interface Taking {
  readonly worker: string;
  readonly now: Date;
  readonly until: Date;
  /** How many may be taken, and how many of these may be troubled. */
  readonly slots: number;
  readonly troubled_slots: number;
  /** How many targets of one org the worker may hold, and how many it holds of which orgs. */
  readonly per_org: number;
  readonly orgs: readonly string[];
  readonly held: readonly number[];
}

/**
 * The only query of the queue across all orgs. It steps from one org with due targets to the next, separately for
 * troubled and other targets, and reads a few of each: so its cost does not depend on how much one org has, and nothing
 * waits behind targets that may not be taken. Then the first target of each org comes before the second of any.
 *
 * A target is due again when its lease ends, so that another worker takes over from one that died. Deliveries that
 * arrive in the meantime make it due earlier, which its worker notices when it releases the target.
 */
export const takeTargets = statement<Readonly<Record<keyof Taking, unknown>>, DueTarget>(
  'take_targets',
  `with recursive busy (troubled, org_id) as (
     select kind.troubled, first.org_id
     from (values (false), (:troubled_slots::integer > 0)) as kind (troubled)
     cross join lateral (
       select org_id from target_state
       where troubled = kind.troubled and due_at <= :now::timestamptz
       order by org_id
       limit 1
     ) as first
     union
     select busy.troubled, next.org_id
     from busy
     cross join lateral (
       select org_id from target_state
       where troubled = busy.troubled and org_id > busy.org_id and due_at <= :now
       order by org_id
       limit 1
     ) as next
   ), due as (
     select busy.troubled, busy.org_id, first.target_id, first.due_at, coalesce(mine.targets, 0) as held,
       row_number() over (partition by busy.org_id, busy.troubled order by first.due_at) as nth
     from busy
     left join unnest(:orgs::uuid[], :held::integer[]) as mine (org_id, targets) on mine.org_id = busy.org_id
     cross join lateral (
       select target_id, due_at from target_state
       where troubled = busy.troubled and org_id = busy.org_id and due_at <= :now
         and (paused_until is null or paused_until <= :now)
         and (held_until is null or held_until < :now)
       order by due_at
       limit greatest(0, least(
         :per_org::integer - coalesce(mine.targets, 0),
         case when busy.troubled then :troubled_slots else :slots::integer end
       ))
     ) as first
   ), of_org as (
     select *, held + row_number() over (partition by org_id order by nth, troubled) as nth_of_org from due
   ), fair as (
     select *, row_number() over (partition by troubled order by nth_of_org, due_at) as nth_of_its_kind
     from of_org
     where nth_of_org <= :per_org
   ), chosen as (
     select one.org_id, one.target_id
     from fair
     join target_state as one on one.org_id = fair.org_id and one.target_id = fair.target_id
     where (not fair.troubled or fair.nth_of_its_kind <= :troubled_slots)
       and one.due_at <= :now
       and (one.paused_until is null or one.paused_until <= :now)
       and (one.held_until is null or one.held_until < :now)
     order by fair.nth_of_org, fair.due_at
     limit :slots
     for update of one skip locked
   ), state as (
     update target_state as state
     set held_by = :worker::uuid, held_until = :until::timestamptz, due_at = :until::timestamptz
     from chosen
     where state.org_id = chosen.org_id and state.target_id = chosen.target_id
     returning state.org_id, state.target_id, state.failures, state.troubled, state.disabled_at,
       state.sending_delivery
   )${TARGET}`,
);

const findTargetStatement = statement<{ org_id: string; target_id: string }, DueTarget>(
  'find_delivery_target',
  `with state as (select * from target_state where org_id = :org_id and target_id = :target_id)${TARGET}`,
);

export async function findTarget(db: Db, org: string, target: string): Promise<DueTarget | undefined> {
  const [row] = await findTargetStatement(db, { org_id: org, target_id: target });
  return row;
}

export interface WaitingRow {
  readonly id: string;
  readonly target_id: string;
  readonly address: string | null;
  readonly tries: number;
  /** When the first of these tries was made. */
  readonly tried_since: Date | null;
  readonly trigger: MessageTrigger;
  readonly sequence: number | null;
  readonly count: number;
  readonly content: MessageContent;
  readonly message_created_at: Date;
  /** How often it was redelivered. */
  readonly redeliveries: number;
}

const WAITING = `
  select delivery.id, delivery.target_id, delivery.address, delivery.tries, first.at as tried_since, message.trigger,
    message.sequence, message.count, message.content, message.created_at as message_created_at, delivery.redeliveries
  from delivery
  join message on message.org_id = delivery.org_id and message.id = delivery.message_id
  left join delivery_attempt as first on first.org_id = delivery.org_id and first.delivery_id = delivery.id
    and delivery.tries > 0 and first.no = delivery.attempts - delivery.tries + 1`;

/** What is due for a target now, in order. */
export const listWaiting = statement<{ org_id: string; target_id: string; now: Date; limit: number }, WaitingRow>(
  'list_waiting_deliveries',
  `${WAITING}
   where delivery.org_id = :org_id and delivery.target_id = :target_id and delivery.state = 'waiting'
     and delivery.due_at <= :now
   order by delivery.place
   limit :limit`,
);

const findDeliveryStatement = statement<{ org_id: string; id: string }, WaitingRow>(
  'find_delivery_to_send',
  `${WAITING} where delivery.org_id = :org_id and delivery.id = :id`,
);

export async function findDelivery(db: Db, org: string, id: string): Promise<WaitingRow | undefined> {
  const [row] = await findDeliveryStatement(db, { org_id: org, id });
  return row;
}

/** What may have changed since the target was taken. */
export interface BegunRow
  extends Pick<DueTarget, 'url_sealed' | 'secret_sealed' | 'old_secret_sealed' | 'old_secret_until'> {
  readonly redeliveries: number;
  /** It still has to be sent. */
  readonly is_wanted: boolean;
  /** The owner of the address refused mail. */
  readonly is_refused: boolean;
}

/**
 * Records what is about to be sent, if the worker still holds the target and the delivery is still wanted; no row if
 * the target is not held.
 */
export const beginAttempt = statement<
  { org_id: string; target_id: string; worker: string; delivery_id: string; request_id: string; at: Date },
  BegunRow
>(
  'begin_attempt',
  `with known as (
     select target.url_sealed, target.secret_sealed, target.old_secret_sealed, target.old_secret_until,
       delivery.redeliveries, refusal.address is not null as is_refused,
       delivery.state = 'waiting' and refusal.address is null as is_wanted
     from notification_target as target
     join delivery on delivery.org_id = :org_id and delivery.id = :delivery_id::uuid
     left join mail_refusal as refusal on refusal.org_id = delivery.org_id and refusal.target_id = delivery.target_id
       and refusal.address = delivery.address
     where target.org_id = :org_id and target.id = :target_id and target.removed_at is null
   )
   update target_state as state
   set sending_delivery = case when known.is_wanted then :delivery_id end,
     sending_request = case when known.is_wanted then :request_id::uuid end,
     sending_at = case when known.is_wanted then :at::timestamptz end
   from known
   where state.org_id = :org_id and state.target_id = :target_id and state.held_by = :worker and state.disabled_at is null
   returning known.*`,
);

/**
 * Records an attempt of a worker that was lost. Nobody knows whether the message arrived. The delivery it was sending
 * is read from the target under its lock: if the worker has recorded its outcome after all, there is none.
 */
export const recordInterrupted = statement<{ org_id: string; target_id: string; worker: string; error: string }, never>(
  'record_interrupted',
  `with before as (
     select org_id, target_id, sending_delivery, sending_request, sending_at from target_state
     where org_id = :org_id and target_id = :target_id and held_by = :worker
     for update
   ), state as (
     update target_state as state
     set sending_delivery = null, sending_request = null, sending_at = null
     from before
     where state.org_id = before.org_id and state.target_id = before.target_id
     returning before.sending_delivery, before.sending_request, before.sending_at
   ), changed as (
     update delivery set tries = tries + 1, attempts = attempts + 1
     from state
     where delivery.org_id = :org_id and delivery.id = state.sending_delivery and state.sending_request is not null
     returning delivery.id, delivery.attempts
   )
   insert into delivery_attempt (org_id, delivery_id, no, at, request_id, outcome, latency_ms, error)
   select :org_id, changed.id, changed.attempts, state.sending_at, state.sending_request, 'failed', 0, :error
   from changed cross join state`,
);

export interface AttemptRecord {
  readonly org_id: string;
  readonly target_id: string;
  readonly delivery_id: string;
  readonly request_id: string;
  readonly at: Date;
  readonly delivered: boolean;
  readonly status: number | null;
  readonly latency_ms: number;
  readonly error: string | null;
  /** When the delivery is retried; null when it is not. */
  readonly retry_at: Date | null;
  readonly ended_at: Date;
  /** Whether it counts against the target. */
  readonly counts: boolean;
  readonly paused_until: Date | null;
  /** Of the delivery when it was sent: a failure does not undo a redelivery that was requested since. */
  readonly redeliveries: number;
  /** Null when the target is not held. */
  readonly worker: string | null;
  readonly held_until: Date | null;
}

export interface RecordedRow {
  readonly goes_on: boolean;
  readonly failures: number;
  readonly failing_since: Date | null;
  /** Waiting deliveries became due, because the target works again. */
  readonly flushes: boolean;
}

/**
 * Records an attempt, its consequences for the delivery and its target, and that the worker is alive. The target is
 * locked first, as in every change of both. No row when the target was taken from the worker: see `recordLate`.
 *
 * The first success after a failure or a pause makes everything that waits due, except deliveries first tried before
 * the previous success: they failed while others succeeded, so the fault is theirs, and their own schedule continues.
 */
export const recordAttempt = statement<Readonly<Record<keyof AttemptRecord, unknown>>, RecordedRow>(
  'record_attempt',
  `with before as (
     select org_id, target_id, last_success_at,
       :delivered::boolean and (failures > 0 or paused_until is not null) as flushes
     from target_state
     where org_id = :org_id and target_id = :target_id
       and (:worker::uuid is null or (held_by = :worker and sending_request = :request_id::uuid))
     for update
   ), state as (
     update target_state as state set
       last_success_at = case when :delivered then :at::timestamptz else state.last_success_at end,
       last_failure_at = case when :delivered then last_failure_at else :at end,
       last_error = case when :delivered then last_error else :error::text end,
       last_latency_ms = :latency_ms::integer,
       failures = case when :delivered then 0 when :counts::boolean then failures + 1 else failures end,
       failing_since = case when :delivered then null when :counts then coalesce(failing_since, :at) else failing_since end,
       paused_until = case when :delivered then null else greatest(paused_until, :paused_until::timestamptz) end,
       due_at = case
         when held_by = :worker then case when due_at = held_until then :held_until::timestamptz else due_at end
         when before.flushes and disabled_at is null then least(due_at, :ended_at::timestamptz)
         else due_at
       end,
       held_until = case when held_by = :worker then :held_until else held_until end,
       sending_delivery = case when held_by = :worker then null else sending_delivery end,
       sending_request = case when held_by = :worker then null else sending_request end,
       sending_at = case when held_by = :worker then null else sending_at end
     from before
     where state.org_id = before.org_id and state.target_id = before.target_id
     returning state.target_id, failures, failing_since, before.last_success_at as success_before, before.flushes,
       held_by = :worker and disabled_at is null as is_held
   ), changed as (
     update delivery set
       tries = case when redeliveries = :redeliveries::integer then tries + 1 else tries end,
       attempts = attempts + 1,
       state = case
         when :delivered then 'delivered'
         when delivery.state = 'waiting' and :retry_at::timestamptz is null and redeliveries = :redeliveries then 'failed'
         else delivery.state
       end,
       due_at = case when redeliveries = :redeliveries then coalesce(:retry_at, due_at) else due_at end,
       ended_at = case
         when :delivered then :ended_at
         when delivery.state = 'waiting' and :retry_at is null and redeliveries = :redeliveries then :ended_at
         else ended_at
       end
     from state
     where delivery.org_id = :org_id and delivery.id = :delivery_id::uuid
     returning delivery.attempts
   ), attempt as (
     insert into delivery_attempt (org_id, delivery_id, no, at, request_id, outcome, status, latency_ms, error)
     select :org_id, :delivery_id, attempts, :at, :request_id, case when :delivered then 'delivered' else 'failed' end,
       :status::integer, :latency_ms, :error
     from changed
   ), flushed as (
     update delivery set due_at = :ended_at
     where delivery.org_id = :org_id and delivery.target_id = (select target_id from state where flushes)
       and delivery.state = 'waiting' and delivery.due_at > :ended_at and delivery.id <> :delivery_id
       and not exists (
         select from delivery_attempt as first
         where delivery.tries > 0 and first.org_id = :org_id and first.delivery_id = delivery.id
           and first.no = delivery.attempts - delivery.tries + 1 and first.at < (select success_before from state)
       )
   )
   select coalesce(state.is_held, false) and target.removed_at is null as goes_on, state.failures, state.failing_since,
     state.flushes
   from state
   join notification_target as target on target.org_id = :org_id and target.id = :target_id`,
);

const recordLateStatement = statement<
  Pick<
    AttemptRecord,
    | 'org_id'
    | 'target_id'
    | 'delivery_id'
    | 'request_id'
    | 'at'
    | 'delivered'
    | 'status'
    | 'latency_ms'
    | 'error'
    | 'ended_at'
  >,
  never
>(
  'record_late_attempt',
  `with state as (
     update target_state set
       last_success_at = case when :delivered::boolean then greatest(last_success_at, :at::timestamptz) else last_success_at end,
       sending_delivery = case when sending_request = :request_id::uuid then null else sending_delivery end,
       sending_at = case when sending_request = :request_id then null else sending_at end,
       sending_request = nullif(sending_request, :request_id)
     where org_id = :org_id and target_id = :target_id
     returning target_id
   ), known as (
     update delivery_attempt
     set outcome = case when :delivered then 'delivered' else 'failed' end, status = :status::integer,
       latency_ms = :latency_ms::integer, error = :error::text
     from state
     where org_id = :org_id and delivery_id = :delivery_id::uuid and request_id = :request_id
     returning 1
   ), changed as (
     update delivery set
       tries = tries + 1 - (select count(*) from known),
       attempts = attempts + 1 - (select count(*) from known),
       state = case when :delivered then 'delivered' else delivery.state end,
       ended_at = case when :delivered then :ended_at::timestamptz else ended_at end
     from state
     where delivery.org_id = :org_id and delivery.id = :delivery_id
     returning delivery.attempts
   )
   insert into delivery_attempt (org_id, delivery_id, no, at, request_id, outcome, status, latency_ms, error)
   select :org_id, :delivery_id, attempts, :at, :request_id, case when :delivered then 'delivered' else 'failed' end,
     :status, :latency_ms, :error
   from changed where not exists (select from known)`,
);

/**
 * Records the outcome of a worker that was taken for dead: another one holds the target by now, and continues as if
 * nothing had been received. Only a success is news. The lock comes first, so that everything recorded about the
 * attempt is visible.
 */
export async function recordLate(db: Db, record: AttemptRecord): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx
      .selectFrom('target_state')
      .select('target_id')
      .where('org_id', '=', record.org_id)
      .where('target_id', '=', record.target_id)
      .forUpdate()
      .execute();
    await recordLateStatement(tx, record);
  });
}

/**
 * Releases a target; `due_at` is given when there is known to be more. A delivery that arrived since the worker's last
 * read made it due before the lease ends, and that stays: the read here may not see a transaction that has not
 * committed yet.
 */
export const releaseTarget = statement<
  { org_id: string; target_id: string; worker: string; due_at: Date | null },
  never
>(
  'release_target',
  `update target_state as state
   set held_by = null, held_until = null,
     due_at = case
       when state.paused_until > least(nullif(state.due_at, state.held_until), next.due_at) then state.paused_until
       else least(nullif(state.due_at, state.held_until), next.due_at)
     end
   from (
     select coalesce(:due_at::timestamptz, min(due_at)) as due_at from delivery
     where :due_at is null and org_id = :org_id and target_id = :target_id and delivery.state = 'waiting'
   ) as next
   where state.org_id = :org_id and state.target_id = :target_id and state.held_by = :worker`,
);

interface Dropped {
  readonly target: string;
  readonly delivery?: string;
  readonly now: Date;
  readonly because?: DropReason;
}

/** Drops what will not be sent any more: everything for a target, or one of its deliveries. */
export async function dropWaiting(db: Db, org: string, { target, delivery, now, because }: Dropped): Promise<number> {
  let query = db
    .updateTable('delivery')
    .set({ state: 'dropped', ended_at: now, dropped_because: because ?? null })
    .where('org_id', '=', org)
    .where('target_id', '=', target)
    .where('state', '=', 'waiting');
  if (delivery !== undefined) query = query.where('id', '=', delivery);
  const { numUpdatedRows } = await query.executeTakeFirst();
  return Number(numUpdatedRows);
}
