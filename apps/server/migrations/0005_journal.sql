-- What happened, in one place. Rows are never updated but for the erasure of their content, and never dropped:
-- old months are detached and exported.
create sequence journal_seq as bigint;

create table journal (
  org_id uuid not null,
  -- The transaction that wrote the entry. (xid, seq) below the oldest running transaction is an order in which
  -- nothing can appear late; that is the order in which the relay and the processors read.
  xid xid8 not null default pg_current_xact_id(),
  seq bigint not null default nextval('journal_seq'),
  id uuid not null,
  recorded_at timestamptz not null,
  type text not null,
  version smallint not null,
  actor_kind text not null check (actor_kind in ('user', 'service_account', 'system')),
  actor_id uuid,
  actor_name text not null,
  subject_kind text not null,
  subject_id uuid not null,
  -- The subject's own counter: 1, 2, 3 … without gaps.
  subject_seq bigint not null,
  -- Canonical JSON, as text, because the digest is over these very bytes. Null once erased, and so is the nonce.
  payload text check (octet_length(payload) <= 262144),
  nonce bytea check (octet_length(nonce) = 32),
  payload_digest bytea not null check (octet_length(payload_digest) = 32),
  check ((payload is null) = (nonce is null)),
  -- One of 16 lanes. An org is always in the same one, so a lane read in order shows each org in order.
  lane smallint not null generated always as (get_byte(uuid_send(org_id), 15) & 15) stored,
  primary key (org_id, xid, seq, recorded_at)
) partition by range (recorded_at);

create index journal_order on journal (lane, xid, seq);
-- What happened to an environment besides its snapshots and instances, which are most of the journal: for the marks and
-- the stale periods of its timeline.
create index journal_of_environment on journal (org_id, subject_id, recorded_at) where type in
  ('environment.created', 'environment.renamed', 'environment.updated', 'environment.tagged',
   'environment.reporting_again', 'policy.attached', 'policy.detached',
   'allow_list.added', 'allow_list.withdrawn', 'allow_list.expired');
-- What people did, newest first: few entries among those of pipelines and reporters.
create index journal_activity on journal (org_id, xid, seq, recorded_at) where type not in
  ('trail.begun', 'trail.updated', 'artifact.reported', 'attestation.recorded', 'snapshot.recorded',
   'workload_identity.exchanged');

-- Stays empty: the months are made ahead of time, and a row here raises an alarm.
create table journal_default partition of journal default;

-- Runs with the rights of the owner: servers have a role that may create no table.
create function ensure_journal_months(from_month date, months integer) returns void
language plpgsql security definer set search_path from current as $$
declare
  month date;
begin
  for i in 0 .. months loop
    month := date_trunc('month', from_month)::date + make_interval(months => i);
    if to_regclass(format('journal_%s', to_char(month, 'YYYY_MM'))) is null then
      execute format(
        'create table %I partition of journal for values from (%L) to (%L)',
        'journal_' || to_char(month, 'YYYY_MM'),
        (month::timestamp at time zone 'UTC'),
        ((month + interval '1 month')::timestamp at time zone 'UTC')
      );
    end if;
  end loop;
end
$$;

revoke execute on function ensure_journal_months from public;

select ensure_journal_months((now() at time zone 'UTC')::date - 31, 4);

-- How far the relay has published each lane.
create table relay_cursor (
  lane smallint primary key,
  xid xid8 not null default '0',
  seq bigint not null default 0
);

insert into relay_cursor (lane) select generate_series(0, 15);

-- How far a processor's effects have been committed in a lane, and which worker holds the lane. The position advances
-- in the transaction of the effect, with the row locked: that makes every effect happen once, and by one worker. A lane
-- is held for as long as its worker is alive: a lease in this row could not be renewed while a turn has it locked.
create table processor_position (
  processor text not null,
  lane smallint not null,
  xid xid8 not null default '0',
  seq bigint not null default 0,
  holder uuid,
  primary key (processor, lane)
);

-- Entries that a processor could not apply, for an operator to see and replay.
create table dead_letter (
  org_id uuid not null,
  processor text not null,
  xid xid8 not null,
  seq bigint not null,
  recorded_at timestamptz not null,
  type text not null,
  error text not null,
  failed_at timestamptz not null,
  replayed_at timestamptz,
  primary key (org_id, processor, xid, seq)
);

-- The workers alive, so that each can take its fair share of the lanes.
create table worker (
  id uuid primary key,
  alive_until timestamptz not null
);

-- The API servers alive, which share the rate limits. A server that dies is not counted once its lease has ended.
create table server (
  id uuid primary key,
  alive_until timestamptz not null
);

-- When each scheduled task is due, and which worker runs it.
create table scheduled_task (
  name text primary key,
  due_at timestamptz not null,
  -- Of the worker that runs it; passes to another one when the time is over.
  holder uuid,
  leased_until timestamptz,
  ended_at timestamptz,
  -- Since it last succeeded.
  failures integer not null default 0,
  last_error text,
  check ((holder is null) = (leased_until is null))
);

-- What the live stream of an org shows, numbered 1, 2, 3 … per org; the number is the id of the server-sent event.
create table feed_event (
  org_id uuid not null,
  position bigint not null,
  entry_id uuid not null,
  type text not null,
  subject_kind text not null,
  subject_id uuid not null,
  actor_name text not null,
  recorded_at timestamptz not null,
  primary key (org_id, position)
);

create index feed_event_age on feed_event (recorded_at);

-- The last number given out; outlives the events, which are pruned.
create table feed_head (
  org_id uuid primary key,
  position bigint not null
);

-- Answers to POST requests that carried an Idempotency-Key, kept for a day.
create table idempotent_reply (
  org_id uuid not null,
  actor_id uuid not null,
  key text not null,
  operation text not null,
  input_digest bytea not null,
  status smallint not null,
  -- JSON.
  headers text not null default '{}',
  body text not null,
  created_at timestamptz not null,
  primary key (org_id, actor_id, key)
);

create index idempotent_reply_age on idempotent_reply (created_at);
