create table environment (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  -- As created: azure-apps is the same type as cloudx-apps, but clients compare the name.
  type text not null check (type in
    ('K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'azure-apps', 'cloud-run', 'logical')),
  description text not null,
  include_scaling boolean not null,
  require_provenance boolean not null,
  -- How often reports are expected; null to derive it from the last intervals.
  expected_report_interval_s integer check (expected_report_interval_s > 0),
  -- Of the latest snapshot: its verdict, its index, and when it was made.
  compliance text not null default 'unknown' check (compliance in ('compliant', 'non-compliant', 'unknown')),
  snapshot_count integer not null default 0,
  last_changed_at timestamptz,
  -- Counts the runs that ever began here.
  run_count integer not null default 0,
  -- Of the last report: which artifacts run, and their instances without their start times.
  content_digest bytea,
  -- Counts the journal entries about this environment.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  last_modified_at timestamptz not null,
  archived_at timestamptz,
  primary key (org_id, id)
);

create unique index environment_name on environment (org_id, name) include (id) where archived_at is null;
create index environment_modified on environment (org_id, last_modified_at, name) include (id) where archived_at is null;

-- Old names of environments. A name resolves to one environment: a new one that takes a name removes it from here.
create table environment_alias (
  org_id uuid not null,
  name text not null,
  environment_id uuid not null,
  primary key (org_id, name),
  foreign key (org_id, environment_id) references environment (org_id, id)
);

create index environment_alias_environment on environment_alias (org_id, environment_id);

-- The members of a logical environment, returned in the order in which they were given.
create table environment_member (
  org_id uuid not null,
  logical_id uuid not null,
  physical_id uuid not null,
  position integer not null default 0,
  primary key (org_id, logical_id, physical_id),
  foreign key (org_id, logical_id) references environment (org_id, id),
  foreign key (org_id, physical_id) references environment (org_id, id)
);

create index environment_member_physical on environment_member (org_id, physical_id);

-- When an environment last reported. Separate from the environment and without an index on changing columns, as this is
-- the most frequent write. Lost writes cost nothing.
create table environment_heartbeat (
  org_id uuid not null,
  environment_id uuid not null,
  last_reported_at timestamptz not null,
  -- Seconds between the last reports, ten at most, the newest at the end.
  intervals integer[] not null,
  -- Since when it is stale, once that was recorded.
  silent_since timestamptz,
  -- A report whose meaning is known: the digest of its bytes, the version of the reader, and the digest of its content.
  known_bytes bytea,
  known_by text,
  known_content bytea,
  primary key (org_id, environment_id)
) with (fillfactor = 70);

-- The time without a report after which an environment is stale.
create function report_allowance(expected_s integer, intervals integer[]) returns interval
language sql immutable parallel safe as $$
  select make_interval(secs => coalesce(expected_s::double precision, greatest(300, coalesce(
    3 * (select percentile_cont(0.5) within group (order by seconds) from unnest(intervals) as seconds), 300))))
$$;
