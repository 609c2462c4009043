import type { MessageContent, MessageTrigger } from '@waymark/messages';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

/** A target with what is needed to send to it. */
export interface TargetRow {
  readonly org_id: string;
  readonly target_id: string;
  readonly org_name: string;
  readonly kind: 'CHAT' | 'WEBHOOK' | 'EMAIL';
  readonly url_sealed: string | null;
  readonly secret_sealed: string | null;
  readonly old_secret_sealed: string | null;
  readonly old_secret_until: Date | null;
  readonly context: Record<string, string> | null;
  readonly derived: boolean;
  readonly source_name: string | null;
  /** It was removed or given up. */
  readonly is_over: boolean;
  readonly failures: number;
  readonly failing_since: Date | null;
  /** What a worker that went away was sending. */
  readonly sending_delivery: string | null;
  readonly sending_request: string | null;
  readonly sending_at: Date | null;
}

/** Of `state`, a relation with the columns of `target_state`. */
const TARGET = `
  select state.org_id, state.target_id, org.name as org_name, target.kind, target.url_sealed, target.secret_sealed,
    target.old_secret_sealed, target.old_secret_until, target.context, target.derived,
    notification.name as source_name, target.removed_at is not null or state.disabled_at is not null as is_over,
    state.failures, state.failing_since, state.sending_delivery, state.sending_request, state.sending_at
  from state
  join notification_target as target on target.org_id = state.org_id and target.id = state.target_id
  join org on org.id = state.org_id
  left join notification on notification.org_id = target.org_id and notification.id = target.source_id
    and target.config_type is null`;

export interface Taking {
  readonly worker: string;
  readonly now: Date;
  readonly until: Date;
  /** How many may be taken, and how many of them may be ones that failed when last tried. */
  readonly slots: number;
  readonly failing_slots: number;
  /** How many of one org the worker may hold, and of which orgs it holds how many. */
  readonly per_org: number;
  readonly orgs: readonly string[];
  readonly held: readonly number[];
  readonly full_orgs: readonly string[];
}

/**
 * The one query of the queue over all orgs. It looks at the thousand that wait longest; who asks again after it took some
 * sees past an org, or past failing targets, of which it may take no more.
 *
 * A target is due again when its lease ends, so that somebody takes over from a worker that died; whatever comes for it in
 * the meantime makes it due earlier, and its worker sees that when it lets go.
 */
export const takeTargets = statement<Readonly<Record<keyof Taking, unknown>>, TargetRow>(
  'take_targets',
  `with due as (
     select org_id, target_id, due_at, failures > 0 as is_failing
     from target_state
     where due_at <= :now::timestamptz
       and (paused_until is null or paused_until <= :now::timestamptz)
       and (held_until is null or held_until < :now::timestamptz)
       and (failures = 0 or :failing_slots::integer > 0)
       and org_id <> all(:full_orgs::uuid[])
     order by due_at
     limit 1000
   ), of_org as (
     select *, row_number() over (partition by org_id order by due_at) as nth_of_org from due
   ), fair as (
     select of_org.*, row_number() over (partition by is_failing order by due_at) as nth_of_its_kind
     from of_org
     left join unnest(:orgs::uuid[], :held::integer[]) as mine (org_id, targets) on mine.org_id = of_org.org_id
     where nth_of_org <= :per_org::integer - coalesce(mine.targets, 0)
   ), chosen as (
     select state.org_id, state.target_id
     from fair
     join target_state as state on state.org_id = fair.org_id and state.target_id = fair.target_id
     where (not fair.is_failing or fair.nth_of_its_kind <= :failing_slots::integer)
       and state.due_at <= :now::timestamptz
       and (state.paused_until is null or state.paused_until <= :now::timestamptz)
       and (state.held_until is null or state.held_until < :now::timestamptz)
     order by fair.due_at
     limit :slots::integer
     for update of state skip locked
   ), state as (
     update target_state as state
     set held_by = :worker::uuid, held_until = :until::timestamptz, due_at = :until::timestamptz
     from chosen
     where state.org_id = chosen.org_id and state.target_id = chosen.target_id
     returning state.org_id, state.target_id, state.failures, state.failing_since, state.disabled_at,
       state.sending_delivery, state.sending_request, state.sending_at
   )${TARGET}`,
);

const findTargetStatement = statement<{ org_id: string; target_id: string }, TargetRow>(
  'find_delivery_target',
  `with state as (select * from target_state where org_id = :org_id and target_id = :target_id)${TARGET}`,
);

export async function findTarget(db: Db, org: string, target: string): Promise<TargetRow | undefined> {
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
  readonly told_at: Date;
  /** The owner of the address asked not to be written to. */
  readonly is_refused: boolean;
}

const WAITING = `
  select delivery.id, delivery.target_id, delivery.address, delivery.tries, first.at as tried_since, message.trigger,
    message.sequence, message.count, message.content, message.created_at as told_at, refusal.address is not null as is_refused
  from delivery
  join message on message.org_id = delivery.org_id and message.id = delivery.message_id
  left join delivery_attempt as first on first.org_id = delivery.org_id and first.delivery_id = delivery.id
    and delivery.tries > 0 and first.no = delivery.attempts - delivery.tries + 1
  left join mail_refusal as refusal on refusal.org_id = delivery.org_id and refusal.target_id = delivery.target_id
    and refusal.address = delivery.address`;

/** What is to be sent to a target now, in its order. */
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

/** Says what is about to be sent, if the worker still holds the target; no row if not. */
export const beginAttempt = statement<
  { org_id: string; target_id: string; worker: string; delivery_id: string; request_id: string; at: Date },
  { readonly target_id: string }
>(
  'begin_attempt',
  `update target_state
   set sending_delivery = :delivery_id, sending_request = :request_id, sending_at = :at
   where org_id = :org_id and target_id = :target_id and held_by = :worker and disabled_at is null
   returning target_id`,
);

/** Writes down an attempt of a worker that was not heard of again. Whether the message arrived nobody knows. */
export const recordInterrupted = statement<
  { org_id: string; target_id: string; worker: string; delivery_id: string; error: string },
  never
>(
  'record_interrupted',
  `with state as (
     update target_state as state
     set sending_delivery = null, sending_request = null, sending_at = null
     from target_state as before
     where state.org_id = :org_id and state.target_id = :target_id and state.held_by = :worker
       and before.org_id = state.org_id and before.target_id = state.target_id
     returning before.sending_request, before.sending_at
   ), changed as (
     update delivery set tries = tries + 1, attempts = attempts + 1
     from state
     where delivery.org_id = :org_id and delivery.id = :delivery_id
     returning delivery.attempts
   )
   insert into delivery_attempt (org_id, delivery_id, no, at, request_id, outcome, latency_ms, error)
   select :org_id, :delivery_id, changed.attempts, state.sending_at, state.sending_request, 'failed', 0, :error
   from changed cross join state
   where state.sending_request is not null`,
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
  /** When the delivery is tried again; null when it is not. */
  readonly retry_at: Date | null;
  readonly ended_at: Date | null;
  readonly failures: number;
  readonly paused_until: Date | null;
  /** Everything that waits for the target becomes due at this time, because it works again. */
  readonly flush_at: Date | null;
  /** Null for who does not hold the target. */
  readonly worker: string | null;
  readonly held_until: Date | null;
}

/**
 * Writes down an attempt, what follows from it for the delivery and its target, and that the worker lives. The target comes
 * first, as for everybody who changes both. What was delivered stays so, whatever a worker that was thought dead says later.
 */
export const recordAttempt = statement<
  Readonly<Record<keyof AttemptRecord, unknown>>,
  { readonly goes_on: boolean; readonly failing_since: Date | null }
>(
  'record_attempt',
  `with state as (
     update target_state set
       last_success_at = case when :delivered::boolean then :at::timestamptz else last_success_at end,
       last_failure_at = case when :delivered then last_failure_at else :at end,
       last_error = case when :delivered then last_error else :error::text end,
       failures = :failures::integer,
       failing_since = case when :delivered then null else coalesce(failing_since, :at) end,
       paused_until = case when :delivered then null else greatest(paused_until, :paused_until::timestamptz) end,
       due_at = case
         when held_by = :worker::uuid then case when due_at = held_until then :held_until::timestamptz else due_at end
         else least(due_at, :flush_at::timestamptz, :retry_at::timestamptz)
       end,
       held_until = case when held_by = :worker then :held_until else held_until end,
       sending_delivery = case when held_by = :worker then null else sending_delivery end,
       sending_request = case when held_by = :worker then null else sending_request end,
       sending_at = case when held_by = :worker then null else sending_at end
     where org_id = :org_id and target_id = :target_id
     returning failing_since, held_by = :worker and disabled_at is null as is_held
   ), known as (
     -- Somebody took over and wrote down that nothing was heard of it.
     update delivery_attempt
     set outcome = case when :delivered then 'delivered' else 'failed' end, status = :status::integer,
       latency_ms = :latency_ms::integer, error = :error
     from state
     where org_id = :org_id and delivery_id = :delivery_id::uuid and request_id = :request_id::uuid
     returning 1 as attempts
   ), changed as (
     update delivery set
       tries = tries + 1 - (select count(*) from known),
       attempts = attempts + 1 - (select count(*) from known),
       state = case
         when :delivered then 'delivered'
         when delivery.state = 'waiting' and :retry_at is null then 'failed'
         else delivery.state
       end,
       due_at = coalesce(:retry_at, due_at),
       ended_at = case when :delivered or delivery.state = 'waiting' then :ended_at::timestamptz else ended_at end
     from state
     where delivery.org_id = :org_id and delivery.id = :delivery_id
     returning delivery.attempts
   ), attempt as (
     insert into delivery_attempt (org_id, delivery_id, no, at, request_id, outcome, status, latency_ms, error)
     select :org_id, :delivery_id, attempts, :at, :request_id, case when :delivered then 'delivered' else 'failed' end,
       :status, :latency_ms, :error
     from changed where not exists (select from known)
   ), flushed as (
     update delivery set due_at = :flush_at
     from state
     where :flush_at is not null and delivery.org_id = :org_id and delivery.target_id = :target_id
       and delivery.state = 'waiting' and delivery.due_at > :flush_at and delivery.id <> :delivery_id
   )
   select coalesce(state.is_held, false) and target.removed_at is null as goes_on, state.failing_since
   from state
   join notification_target as target on target.org_id = :org_id and target.id = :target_id`,
);

/**
 * Lets go of a target; `due_at` is for who knows that there is more. When something came for it since the worker looked, it
 * was made due earlier than the lease ends, and stays so: what waits is read as of before whoever put it there committed.
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

/** What is not going to be sent any more: to a target, or one of its deliveries. */
export async function dropWaiting(
  db: Db,
  org: string,
  { target, delivery, now }: { readonly target: string; readonly delivery?: string; readonly now: Date },
): Promise<number> {
  let query = db
    .updateTable('delivery')
    .set({ state: 'dropped', ended_at: now })
    .where('org_id', '=', org)
    .where('target_id', '=', target)
    .where('state', '=', 'waiting');
  if (delivery !== undefined) query = query.where('id', '=', delivery);
  const { numUpdatedRows } = await query.executeTakeFirst();
  return Number(numUpdatedRows);
}
