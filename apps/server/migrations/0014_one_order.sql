-- one way: earlier releases do not run on the result
-- One order of the journal, given after commit by a sequencer. Rewrites the journal: no server may run meanwhile, and
-- it takes as long as the journal is large. So nobody reads what is renamed and dropped here, or waits for a lock:
-- squawk-ignore-file renaming-table, ban-drop-table, ban-drop-column, require-concurrent-index-creation
-- squawk-ignore-file constraint-missing-not-valid, adding-serial-primary-key-field
set local statement_timeout = 0;

-- The id of the transaction comes before the number. Whoever sees a later number then knows that the transaction of
-- this one has an id that was drawn before. As a function in SQL, the planner would drop the unused call.
create function next_entry_seq() returns bigint language plpgsql as $$
begin
  perform pg_current_xact_id();
  return nextval('journal_seq');
end
$$;

alter table journal rename to journal_by_month;
alter index journal_pkey rename to journal_by_month_pkey;
alter index journal_order rename to journal_by_month_order;
alter index journal_of_environment rename to journal_by_month_of_environment;
alter index journal_activity rename to journal_by_month_activity;
alter table journal_default rename to journal_by_month_default;
drop function ensure_journal_months;

-- What happened, in one place. Rows are never updated but for the erasure of their content, and never dropped: old
-- ranges are detached and exported.
create table journal (
  -- Only ever the default: drawn by a select list or a CTE it could be older than a lock that the writer waited for.
  seq bigint not null default next_entry_seq(),
  org_id uuid not null,
  id uuid not null,
  recorded_at timestamptz not null,
  type text not null,
  version smallint not null,
  actor_kind text not null check (actor_kind in ('user', 'service_account', 'system')),
  actor_id uuid,
  actor_name text not null,
  -- The name keyed with the nonce, as the leaf of the ledger has it. Stored once the nonce is erased.
  actor_digest bytea check (octet_length(actor_digest) = 32),
  subject_kind text not null,
  subject_id uuid not null,
  -- The subject's own counter: 1, 2, 3 … without gaps.
  subject_seq bigint not null,
  -- Canonical JSON, as text, because the digest is over these very bytes. Null once erased, and so is the nonce.
  payload text check (octet_length(payload) <= 262144),
  nonce bytea check (octet_length(nonce) = 32),
  payload_digest bytea not null check (octet_length(payload_digest) = 32),
  check ((payload is null) = (nonce is null)),
  check ((nonce is null) = (actor_digest is not null)),
  primary key (org_id, seq)
) partition by range (seq);

create index journal_order on journal (seq);
-- What happened to an environment besides its snapshots and instances, which are most of the journal: for the marks and
-- the stale periods of its timeline.
create index journal_of_environment on journal (org_id, subject_id, recorded_at) where type in
  ('environment.created', 'environment.renamed', 'environment.updated', 'environment.tagged',
   'environment.reporting_again', 'policy.attached', 'policy.detached',
   'allow_list.added', 'allow_list.withdrawn', 'allow_list.expired');
-- What people did, newest first: few entries among those of pipelines and reporters.
create index journal_activity on journal (org_id, seq) where type not in
  ('trail.begun', 'trail.updated', 'artifact.reported', 'attestation.recorded', 'snapshot.recorded',
   'workload_identity.exchanged');

-- Stays empty: the ranges are made ahead of time, and a row here raises an alarm.
create table journal_default partition of journal default;

-- The order. Position counts the entries of a lane and index those of an org, both without gaps; an index is also the
-- leaf index in the org's Merkle log.
create table ledger (
  org_id uuid not null,
  -- 0, 1, 2 …
  index bigint not null,
  lane smallint not null,
  -- 1, 2, 3 …
  position bigint not null,
  entry_seq bigint not null,
  entry_id uuid not null,
  sequenced_at timestamptz not null,
  -- Of the canonical leaf, as RFC 6962 has it.
  leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
  primary key (org_id, index, position)
) partition by range (position);

create index ledger_of_lane on ledger (lane, position);
-- For the comparison with the journal. Numbers are nearly in order, so this is small.
create index ledger_of_entry on ledger using brin (entry_seq) with (pages_per_range = 16, autosummarize = on);

-- How many entries of an org have been sequenced.
create table ledger_head (
  org_id uuid primary key,
  size bigint not null
);

-- How many entries of a lane have been sequenced.
create table lane_head (
  lane smallint primary key,
  position bigint not null default 0
);

insert into lane_head (lane) select generate_series(0, 63);

-- One row. Each pass moves `pass`; a sequencer that expects another value has been replaced.
create table sequencer (
  one boolean primary key default true check (one),
  pass bigint not null default 0,
  -- Every entry up to here is in the ledger, or its number is in a gap.
  high_water bigint not null default 0,
  -- Up to here the journal was compared with the ledger.
  compared_to bigint not null default 0,
  sequenced bigint not null default 0,
  -- Entries that the comparison found missing; must stay 0.
  found_late bigint not null default 0,
  -- Which cluster, and which history of it, this database was in when it was last sequenced.
  system_identifier text not null default '',
  timeline integer not null default 0,
  -- Counts them. An index that was published and then lost with a cluster is never taken for its successor.
  life integer not null default 0
);

insert into sequencer default values;

-- Numbers below the high water that were not visible when it passed them: their transaction still ran, or was rolled
-- back. Once every transaction below `noticed` has ended, they are seen or do not exist.
create table journal_gap (
  from_seq bigint not null,
  to_seq bigint not null,
  noticed xid8 not null,
  noticed_at timestamptz not null,
  primary key (from_seq, to_seq)
);

-- How far the numbers had come at a time: limits what is read of the journal when a time is given.
create table journal_tick (
  at timestamptz primary key,
  seq bigint not null
);

-- Puts the sequence above every number that was given, for a database that was restored. Never lower: with the rights of
-- the owner, because servers may draw numbers and not set them.
create function advance_entry_seq() returns void
language sql security definer set search_path from current as $$
  select setval('journal_seq', greatest(last_value, (select high_water from sequencer), (select max(seq) from journal)))
  from journal_seq;
$$;

-- Makes the ranges of the journal and of the ledger ahead of time, and returns where the last of each ends. Runs with
-- the rights of the owner: servers have a role that may create no table.
create function ensure_ranges(
  out journal_end bigint, out ledger_end bigint, journal_size bigint default 33554432, ledger_size bigint default 4194304
) language plpgsql security definer set search_path from current set lock_timeout = '2s' as $$
begin
  ledger_end := ensure_range_partitions('ledger', ledger_size, (select max(position) from lane_head));
  journal_end := ensure_range_partitions('journal', journal_size,
    (select greatest(last_value, (select high_water from sequencer)) from journal_seq));
end
$$;

-- Attaching waits for no writer of the other ranges. Those of one table begin where the last one ends.
create function ensure_range_partitions(name text, size bigint, reached bigint) returns bigint
language plpgsql set search_path from current as $$
declare
  range_end bigint;
  part text;
  server_role text;
begin
  select coalesce(max(upper), 0) into range_end from (
    select (regexp_match(pg_get_expr(relpartbound, oid), 'TO \(''?(\d+)''?\)'))[1]::bigint as upper
    from pg_class join pg_inherits on inhrelid = oid
    where inhparent = name::regclass
  ) as range;
  while range_end < reached + 2 * size loop
    part := name || '_' || range_end;
    execute format('create table %I (like %I including all)', part, name);
    -- Servers write to a range only through its table, whose rights are fewer.
    for server_role in
      select distinct rolname from pg_class cross join aclexplode(relacl) as right_on join pg_roles on pg_roles.oid = grantee
      where pg_class.oid = part::regclass and grantee <> relowner
    loop
      execute format('revoke insert, update, delete on %I from %I', part, server_role);
    end loop;
    execute format('alter table %I attach partition %I for values from (%L) to (%L)',
      name, part, range_end, range_end + size);
    range_end := range_end + size;
  end loop;
  return range_end;
end
$$;

revoke execute on function ensure_ranges, ensure_range_partitions, advance_entry_seq from public;

-- History is numbered in the order in which it was read until now.
create temporary table place on commit drop as
  select org_id, xid, seq, row_number() over (order by xid, seq) as place,
    get_byte(uuid_send(org_id), 15) & 15 as old_lane, get_byte(uuid_send(org_id), 15) & 63 as lane
  from journal_by_month;
create unique index on place (org_id, xid, seq);
analyze place;

select setval('journal_seq', greatest(1, (select max(place) from place)), exists (select from place));
select ensure_ranges();

insert into journal (seq, org_id, id, recorded_at, type, version, actor_kind, actor_id, actor_name, actor_digest,
  subject_kind, subject_id, subject_seq, payload, nonce, payload_digest)
select place, org_id, id, recorded_at, type, version, actor_kind, actor_id, actor_name,
  -- The nonce is gone, so nothing can be keyed with it; all that remains of it in the leaf is that it was erased.
  case when nonce is null then sha256('') end,
  subject_kind, subject_id, subject_seq, payload, nonce, payload_digest
from journal_by_month join place using (org_id, xid, seq)
order by place;

insert into journal_tick (at, seq) select date_trunc('day', recorded_at) + interval '1 day', max(seq) from journal group by 1;

-- The first passes give the history of a lane its positions in the order of its numbers, so how far a processor has
-- come is a count.
create table processor_position_by_lane (
  processor text not null,
  lane smallint not null,
  position bigint not null default 0,
  holder uuid,
  primary key (processor, lane)
);
insert into processor_position_by_lane (processor, lane, position)
select reached.processor, place.lane, count(*)
from processor_position as reached
join place on place.old_lane = reached.lane and (place.xid, place.seq) <= (reached.xid, reached.seq)
where reached.processor <> 'feed'
group by 1, 2;

-- How far the events of a lane have been published.
create table event_cursor (
  lane smallint primary key,
  position bigint not null default 0
);
insert into event_cursor (lane, position)
select lane, coalesce(published, 0) from lane_head left join (
  select place.lane, count(*) as published
  from relay_cursor as reached
  join place on place.old_lane = reached.lane and (place.xid, place.seq) <= (reached.xid, reached.seq)
  group by 1
) as reached using (lane);

drop table processor_position;
-- How far a processor's effects have been committed in a lane, and which worker holds the lane. The position advances
-- in the transaction of the effect, with the row locked: that makes every effect happen once, and by one worker. A lane
-- is held for as long as its worker is alive: a lease in this row could not be renewed while a turn has it locked.
alter table processor_position_by_lane rename to processor_position;
alter index processor_position_by_lane_pkey rename to processor_position_pkey;

update dead_letter as letter set seq = place.place from place
where place.org_id = letter.org_id and place.xid = letter.xid and place.seq = letter.seq;
alter table dead_letter drop constraint dead_letter_pkey;
alter table dead_letter drop column xid;
alter table dead_letter add primary key (org_id, processor, seq);

drop table journal_by_month, relay_cursor, feed_event, feed_head;
