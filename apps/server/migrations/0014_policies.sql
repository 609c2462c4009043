-- What is asked of artifacts that run. Each text is a version of its own and is never changed.
create table policy (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null,
  -- The newest one.
  version integer not null,
  -- Counts the journal entries about this policy.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  last_modified_at timestamptz not null,
  archived_at timestamptz,
  primary key (org_id, id)
);

create unique index policy_name on policy (org_id, name) where archived_at is null;

create table policy_version (
  org_id uuid not null,
  policy_id uuid not null,
  version integer not null,
  policy_yaml text not null,
  comment text not null,
  -- Identifiers in its `for_control`.
  controls text[] not null,
  -- What its expressions read, such as flow.name or environment.tags.tier.
  reads text[] not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (org_id, policy_id, version),
  foreign key (org_id, policy_id) references policy (org_id, id)
);

create index policy_version_controls on policy_version using gin (controls) where controls <> '{}';

-- What happened to a policy, for its history.
create table policy_event (
  org_id uuid not null,
  policy_id uuid not null,
  -- Counts the events of the policy.
  no bigint not null,
  type text not null,
  -- JSON.
  data text not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (org_id, policy_id, no)
);

create table environment_policy (
  org_id uuid not null,
  environment_id uuid not null,
  policy_id uuid not null,
  attached_at timestamptz not null,
  attached_by text not null,
  primary key (org_id, environment_id, policy_id),
  foreign key (org_id, environment_id) references environment (org_id, id),
  foreign key (org_id, policy_id) references policy (org_id, id)
);

create index environment_policy_policy on environment_policy (org_id, policy_id);

-- Artifacts that are let pass in an environment, whatever its policies say of them.
create table allow_listing (
  org_id uuid not null,
  id uuid not null,
  environment_id uuid not null,
  fingerprint text collate "C" not null,
  artifact_name text not null,
  description text not null,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz,
  -- When it was withdrawn, replaced by another, or found to have expired.
  ended_at timestamptz,
  ended_by text,
  end_reason text check (end_reason in ('withdrawn', 'replaced', 'expired')),
  primary key (org_id, id),
  foreign key (org_id, environment_id) references environment (org_id, id)
);

create unique index allow_listing_active on allow_listing (org_id, environment_id, fingerprint) where ended_at is null;
create index allow_listing_expiring on allow_listing (expires_at) where ended_at is null and expires_at is not null;

-- All that was known of an artifact when it was judged, each state kept once. The id is made of the content.
create table evidence_state (
  org_id uuid not null,
  id uuid not null,
  -- Canonical JSON.
  content text not null,
  -- JSON: for each report of the artifact, what a snapshot tells of it in its flow.
  told text not null,
  primary key (org_id, id)
);

-- What a version of a policy says of a state of evidence. The id is made of the policy, its version, the state, the part of
-- the context that the policy reads and the engine that judged, so that the same question is answered once.
create table decision (
  org_id uuid not null,
  id uuid not null,
  policy_id uuid not null,
  policy_version integer not null,
  evidence_id uuid not null,
  -- Canonical JSON.
  context text not null,
  engine text not null,
  status text not null check (status in ('COMPLIANT', 'NON-COMPLIANT')),
  -- JSON: an element of `policy_decisions`, and the elements of `reasons_for_incompliance`.
  shown text not null,
  reasons text not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);

-- The policies that a snapshot was judged by, each set kept once. The id is made of the content.
create table policy_set (
  org_id uuid not null,
  id uuid not null,
  -- JSON: `applied_policies`.
  content text not null,
  primary key (org_id, id)
);

-- Of the latest snapshot.
alter table environment add column compliance text not null default 'unknown'
  check (compliance in ('compliant', 'non-compliant', 'unknown'));

alter table snapshot
  -- None when nothing was attached.
  add column policy_set_id uuid,
  drop constraint snapshot_trigger_check,
  add constraint snapshot_trigger_check check (trigger in
    ('report', 'provenance', 'evidence', 'policy', 'allow-list', 'context'));

alter table running_verdict
  -- What was known of it, where it was judged.
  add column evidence_id uuid,
  -- One for each policy of the snapshot's set, in their order.
  add column decision_ids uuid[] not null default '{}',
  add column allow_listing_id uuid,
  drop constraint running_verdict_cause_check,
  -- restated: other decisions that come to the same.
  add constraint running_verdict_cause_check check (cause in ('started', 'verdict', 'provenance', 'restated'));

drop index running_verdict_changed;
create index running_verdict_changed on running_verdict (org_id, environment_id, from_index)
  where cause in ('verdict', 'provenance');

-- What to look at again, and why: an artifact in an environment, or all of them where the fingerprint is empty.
alter table environment_recheck rename to environment_recheck_before;
alter index environment_recheck_pkey rename to environment_recheck_before_pkey;
create table environment_recheck (
  org_id uuid not null,
  environment_id uuid not null,
  fingerprint text collate "C" not null,
  cause text not null check (cause in ('provenance', 'evidence', 'policy', 'allow-list', 'context')),
  requested_at timestamptz not null,
  primary key (org_id, environment_id, fingerprint, cause)
);

create index environment_recheck_due on environment_recheck (requested_at);
insert into environment_recheck (org_id, environment_id, fingerprint, cause, requested_at)
select org_id, environment_id, '', 'provenance', requested_at from environment_recheck_before;
drop table environment_recheck_before;
