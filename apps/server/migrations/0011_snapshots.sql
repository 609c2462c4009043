-- Snapshots are stored as intervals: a row holds from the snapshot from_index until, and without, until_index. What
-- held in the middle of a long history is found by `node`, a number inside the interval: its last index with all bits
-- cleared after the first bit in which it differs from its first index. The nodes of all intervals that contain an
-- index are few and known in advance, one per bit.
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
  -- Why it was made.
  trigger text not null check (trigger in ('report', 'provenance', 'evidence', 'policy', 'allow-list', 'context')),
  compliance text not null check (compliance in ('compliant', 'non-compliant', 'unknown')),
  -- Null when no policy was attached.
  policy_set_id uuid,
  artifact_count integer not null,
  compliant_count integer not null,
  non_compliant_count integer not null,
  started_count integer not null,
  -- Events of this snapshot and all before it, so that a page of events is found by its number.
  event_total bigint not null,
  -- Rows of the snapshot and of its changes, and the bytes of the reported details in them.
  stored_rows integer not null default 1,
  stored_bytes bigint not null default 0,
  created_at timestamptz not null,
  created_by text not null,
  primary key (org_id, environment_id, index)
);

create index snapshot_time on snapshot (org_id, environment_id, created_at, index);
create index snapshot_event_total on snapshot (org_id, environment_id, event_total);
create index snapshot_deployments on snapshot (org_id, created_at, environment_id, index) where started_count > 0;
-- Finds where the verdict of an environment changed without reading the snapshots in between.
create index snapshot_compliance on snapshot (org_id, environment_id, compliance, index);

-- The last snapshot that is counted in org_storage.
create table counted_snapshot (
  org_id uuid not null,
  environment_id uuid not null,
  index integer not null,
  primary key (org_id, environment_id)
);

-- Runs of artifacts.
create table running (
  org_id uuid not null,
  environment_id uuid not null,
  -- Counts the runs of the environment.
  no integer not null,
  -- Empty when the artifact is not identified.
  fingerprint text collate "C" not null,
  name text collate "C" not null,
  from_index integer not null,
  until_index integer,
  node integer generated always as (interval_node(from_index, until_index)) stored,
  -- Its lineage: the flow and the name in its template, or the name it runs under.
  lineage text collate "C" not null,
  -- Its instances when it started, whatever their number was later.
  started_with integer not null,
  -- The snapshots in which this fingerprint started here, this run last; the newest hundred.
  deployments integer[] not null,
  primary key (org_id, environment_id, no)
);

create unique index running_now on running (org_id, environment_id, fingerprint, name) where until_index is null;
-- Among the intervals around an index, those with a node before it are found by their end, and those with a node after
-- it by their beginning. With both ordered, hardly a row is read in vain.
create index running_then on running (org_id, environment_id, node, from_index) where until_index is not null;
create index running_then_until on running (org_id, environment_id, node, until_index) where until_index is not null;
create index running_started on running (org_id, environment_id, from_index);
create index running_exited on running (org_id, environment_id, until_index) where until_index is not null;
create index running_fingerprint on running (org_id, fingerprint, environment_id, no) where fingerprint <> '';
create index running_live on running (org_id, fingerprint, environment_id) where until_index is null and fingerprint <> '';
-- Earlier runs in the environment. The environment is part of a text, so that the planner does not prefer an index by
-- environment and number: walking back through all runs is right only for environments with few of them.
create index running_lineage on running (org_id, (environment_id::text || ' ' || lineage), no);
create index running_same on running (org_id, (environment_id::text || ' ' || fingerprint), no) where fingerprint <> '';

-- The instances of runs.
create table running_instances (
  org_id uuid not null,
  environment_id uuid not null,
  no integer not null,
  from_index integer not null,
  until_index integer,
  node integer generated always as (interval_node(from_index, until_index)) stored,
  count integer not null,
  -- JSON: start times, pods, tasks and the like.
  detail text not null,
  primary key (org_id, environment_id, no, from_index)
);

create index running_instances_now on running_instances (org_id, environment_id, no) where until_index is null;
create index running_instances_then on running_instances (org_id, environment_id, node, from_index)
  where until_index is not null;
create index running_instances_then_until on running_instances (org_id, environment_id, node, until_index)
  where until_index is not null;

-- The provenance of what ran, and the verdict on it.
create table running_verdict (
  org_id uuid not null,
  environment_id uuid not null,
  no integer not null,
  from_index integer not null,
  until_index integer,
  node integer generated always as (interval_node(from_index, until_index)) stored,
  -- The difference from the row before. restated: other decisions with the same result.
  cause text not null check (cause in ('started', 'verdict', 'provenance', 'restated')),
  compliance text not null check (compliance in ('compliant', 'non-compliant', 'unknown', 'waived')),
  -- The newest report of the artifact in each flow, newest first.
  artifact_ids uuid[] not null,
  -- The run that it replaced.
  replaced_no integer,
  -- The evidence that it was judged by, if it was judged.
  evidence_id uuid,
  -- One per policy of the snapshot's set, in the same order.
  decision_ids uuid[] not null default '{}',
  waiver_id uuid,
  primary key (org_id, environment_id, no, from_index)
);

create index running_verdict_now on running_verdict (org_id, environment_id, no) where until_index is null;
create index running_verdict_then on running_verdict (org_id, environment_id, node, from_index)
  where until_index is not null;
create index running_verdict_then_until on running_verdict (org_id, environment_id, node, until_index)
  where until_index is not null;
create index running_verdict_changed on running_verdict (org_id, environment_id, from_index)
  where cause in ('verdict', 'provenance');
-- Few runs are waived.
create index running_verdict_waived on running_verdict (org_id, environment_id, from_index) where compliance = 'waived';

-- Most environments have few rows here, and some have most of them. Planned for an average one, a query would walk
-- through the history of a large one; so all are treated as large.
alter table snapshot alter column environment_id set (n_distinct = 50);
alter table running alter column environment_id set (n_distinct = 50);
alter table running_instances alter column environment_id set (n_distinct = 50);
alter table running_verdict alter column environment_id set (n_distinct = 50);

-- What to re-evaluate, and why: an artifact in an environment, or all of them where the fingerprint is empty. A row is
-- removed after the re-evaluation unless it was requested again meanwhile: then it has another number. One that fails
-- again and again is given up, and stays here for an operator to see and replay.
create sequence reevaluation_request;
create table environment_reevaluation (
  org_id uuid not null,
  environment_id uuid not null,
  fingerprint text collate "C" not null,
  cause text not null check (cause in ('provenance', 'evidence', 'policy', 'allow-list', 'context')),
  requested_at timestamptz not null,
  request bigint not null default nextval('reevaluation_request'),
  tries integer not null default 0,
  error text,
  given_up_at timestamptz,
  primary key (org_id, environment_id, fingerprint, cause)
);

create index environment_reevaluation_due on environment_reevaluation (requested_at) where given_up_at is null;
-- Workers take re-evaluations of each org in turn.
create index environment_reevaluation_due_of_org on environment_reevaluation (org_id, requested_at)
  where given_up_at is null;
create index environment_reevaluation_given_up on environment_reevaluation (given_up_at) where given_up_at is not null;
