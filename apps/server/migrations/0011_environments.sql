create table environment (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  -- The word it was created with: azure-apps is the same kind as cloudx-apps, and clients compare the word.
  type text not null check (type in
    ('K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'azure-apps', 'cloud-run', 'logical')),
  description text not null,
  include_scaling boolean not null,
  require_provenance boolean not null,
  -- How often reports are expected; without it the last intervals say.
  expected_report_interval_s integer check (expected_report_interval_s > 0),
  -- Counts the journal entries about this environment.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  last_modified_at timestamptz not null,
  archived_at timestamptz,
  -- The index of the latest snapshot and when it was made.
  snapshot_count integer not null default 0,
  last_changed_at timestamptz,
  -- Counts the runs that ever began here.
  run_count integer not null default 0,
  -- Of what the last report said: which artifacts run, and their instances without their times of start.
  content_digest bytea,
  primary key (org_id, id)
);

create unique index environment_name on environment (org_id, name) include (id) where archived_at is null;
create index environment_modified on environment (org_id, last_modified_at, name) include (id) where archived_at is null;

-- Names an environment had before. A name is in one place only: an active environment takes it away from here.
create table environment_alias (
  org_id uuid not null,
  name text not null,
  environment_id uuid not null,
  primary key (org_id, name),
  foreign key (org_id, environment_id) references environment (org_id, id)
);

create index environment_alias_environment on environment_alias (org_id, environment_id);

-- What a logical environment is made of.
create table environment_member (
  org_id uuid not null,
  logical_id uuid not null,
  physical_id uuid not null,
  primary key (org_id, logical_id, physical_id),
  foreign key (org_id, logical_id) references environment (org_id, id),
  foreign key (org_id, physical_id) references environment (org_id, id)
);

create index environment_member_physical on environment_member (org_id, physical_id);

-- When an environment last reported. Written apart from the environment and without an index on what changes, as it is
-- written most of all. Lost writes cost nothing.
create table environment_heartbeat (
  org_id uuid not null,
  environment_id uuid not null,
  last_reported_at timestamptz not null,
  -- Seconds between the last reports, ten at most, the newest at the end.
  intervals integer[] not null,
  -- Since when it is silent, once that was recorded.
  silent_since timestamptz,
  -- Bytes of a report whose meaning is known: their digest, the version of the reader, and the digest of what they say.
  known_bytes bytea,
  known_by text,
  known_content bytea,
  primary key (org_id, environment_id)
) with (fillfactor = 70);

-- For how long nothing may be heard of an environment before it counts as silent.
create function report_allowance(expected_s integer, intervals integer[]) returns interval
language sql immutable parallel safe as $$
  select make_interval(secs => coalesce(expected_s::double precision, greatest(300, coalesce(
    3 * (select percentile_cont(0.5) within group (order by seconds) from unnest(intervals) as seconds), 300))))
$$;

-- Snapshots are kept as intervals: a row says from which snapshot on something holds (from_index) and in which one it
-- does not hold any more (until_index). What held in the middle of a long history is found by `node`, a number inside of
-- the interval: its last one with the bits cleared that come after the first in which it differs from the first one. Of
-- all intervals that contain a given index the nodes are few and known beforehand, one for each bit.
create function interval_node(from_index integer, until_index integer) returns integer
language sql immutable parallel safe as $$
  select case when from_index >= until_index - 1 then from_index else
    ((until_index - 1) >> (32 - position(B'1' in (from_index # (until_index - 1))::bit(32))))
      << (32 - position(B'1' in (from_index # (until_index - 1))::bit(32))) end
$$;

create table snapshot (
  org_id uuid not null,
  environment_id uuid not null,
  index integer not null,
  created_at timestamptz not null,
  created_by text not null,
  -- Why it was made.
  trigger text not null check (trigger in ('report', 'provenance')),
  compliance text not null check (compliance in ('compliant', 'non-compliant', 'unknown')),
  artifact_count integer not null,
  compliant_count integer not null,
  non_compliant_count integer not null,
  started_count integer not null,
  -- Events of this snapshot and all before it, so that a page of events is found by its number.
  event_total bigint not null,
  primary key (org_id, environment_id, index)
);

create index snapshot_time on snapshot (org_id, environment_id, created_at, index);
create index snapshot_event_total on snapshot (org_id, environment_id, event_total);
create index snapshot_deployments on snapshot (org_id, created_at, environment_id, index) where started_count > 0;

-- What runs, and for how long it did.
create table running (
  org_id uuid not null,
  environment_id uuid not null,
  -- Counts the runs of the environment.
  no integer not null,
  -- Empty when it is not known what runs under the name.
  fingerprint text collate "C" not null,
  name text collate "C" not null,
  from_index integer not null,
  until_index integer,
  node integer generated always as (interval_node(from_index, until_index)) stored,
  -- What it is a version of: the flow and the name in its template, or the name it runs under.
  lineage text collate "C" not null,
  -- Its instances when it started, whatever their number was later.
  started_with integer not null,
  -- The snapshots in which this fingerprint started here, this run last; the newest hundred.
  deployments integer[] not null,
  primary key (org_id, environment_id, no)
);

create unique index running_now on running (org_id, environment_id, fingerprint, name) where until_index is null;
create index running_then on running (org_id, environment_id, node, from_index) where until_index is not null;
create index running_started on running (org_id, environment_id, from_index);
create index running_exited on running (org_id, environment_id, until_index) where until_index is not null;
create index running_fingerprint on running (org_id, fingerprint, environment_id, no) where fingerprint <> '';
create index running_live on running (org_id, fingerprint, environment_id) where until_index is null and fingerprint <> '';
-- What went before in the environment. The environment is part of a text, so that no index by environment and number
-- seems as good: walking back through all runs is right for environments with few of them only.
create index running_lineage on running (org_id, (environment_id::text || ' ' || lineage), no);
create index running_same on running (org_id, (environment_id::text || ' ' || fingerprint), no) where fingerprint <> '';

-- In how many instances something ran, and which.
create table running_instances (
  org_id uuid not null,
  environment_id uuid not null,
  no integer not null,
  from_index integer not null,
  until_index integer,
  node integer generated always as (interval_node(from_index, until_index)) stored,
  count integer not null,
  -- JSON: times of start, pods, tasks and the like.
  detail text not null,
  primary key (org_id, environment_id, no, from_index)
);

create index running_instances_now on running_instances (org_id, environment_id, no) where until_index is null;
create index running_instances_then on running_instances (org_id, environment_id, node, from_index)
  where until_index is not null;

-- Where what ran came from, and what was said about it.
create table running_verdict (
  org_id uuid not null,
  environment_id uuid not null,
  no integer not null,
  from_index integer not null,
  until_index integer,
  node integer generated always as (interval_node(from_index, until_index)) stored,
  -- In what it differs from the row before it.
  cause text not null check (cause in ('started', 'verdict', 'provenance')),
  compliance text not null check (compliance in ('compliant', 'non-compliant', 'unknown', 'waived')),
  -- The newest report of the artifact in each flow, newest first.
  artifact_ids uuid[] not null,
  -- The run whose place it took.
  replaced_no integer,
  primary key (org_id, environment_id, no, from_index)
);

create index running_verdict_now on running_verdict (org_id, environment_id, no) where until_index is null;
create index running_verdict_then on running_verdict (org_id, environment_id, node, from_index)
  where until_index is not null;
create index running_verdict_changed on running_verdict (org_id, environment_id, from_index) where cause <> 'started';

-- Most environments have few rows here and some have most of them. Planned for an average one, a query would walk
-- through the history of a large one; so all are taken for large.
alter table snapshot alter column environment_id set (n_distinct = 50);
alter table running alter column environment_id set (n_distinct = 50);
alter table running_instances alter column environment_id set (n_distinct = 50);
alter table running_verdict alter column environment_id set (n_distinct = 50);

-- Environments to look at again, because evidence about what runs there has come.
create table environment_recheck (
  org_id uuid not null,
  environment_id uuid not null,
  requested_at timestamptz not null,
  primary key (org_id, environment_id)
);

alter table flow add column last_deployment_at timestamptz;
