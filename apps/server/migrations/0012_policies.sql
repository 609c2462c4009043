create table control (
  org_id uuid not null,
  id uuid not null,
  -- Chosen by the caller, for ever: an archived control still holds it.
  identifier text not null,
  name text not null,
  description text not null,
  -- JSON, label to address, canonical, so that equal links are equal text.
  links text not null,
  -- The number of its latest version.
  version integer not null,
  -- Counts the journal entries about this control.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  archived_at timestamptz,
  primary key (org_id, id)
);

create unique index control_identifier on control (org_id, identifier);
create index control_name on control (org_id, name, identifier) include (id);

-- A control after each change, and the change. Tags are not part of it.
create table control_version (
  org_id uuid not null,
  control_id uuid not null,
  version integer not null,
  kind text not null check (kind in ('Created', 'Edited', 'Archived', 'Unarchived')),
  name text not null,
  description text not null,
  links text not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (org_id, control_id, version),
  foreign key (org_id, control_id) references control (org_id, id)
);

-- Requirements for artifacts that run. Each text is a version of its own and never changes.
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

-- The history of a policy.
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

-- Waivers: artifacts that count as compliant in an environment, whatever its policies decide.
create table waiver (
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

create unique index waiver_active on waiver (org_id, environment_id, fingerprint) where ended_at is null;
create index waiver_expiring on waiver (expires_at) where ended_at is null and expires_at is not null;

-- The evidence about an artifact when it was judged, each state stored once. The id is derived from the content.
create table evidence_state (
  org_id uuid not null,
  id uuid not null,
  -- Canonical JSON.
  content text not null,
  -- JSON: the flow of each report of the artifact, with the status that a snapshot shows for it.
  statuses_by_flow text not null,
  primary key (org_id, id)
);

-- The decision of a policy version on a state of evidence. The id is derived from the policy, its version, the state,
-- the part of the context that the policy reads and the engine, so that the same decision is made once.
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

-- The policies that a snapshot was judged by, each set stored once. The id is derived from the content.
create table policy_set (
  org_id uuid not null,
  id uuid not null,
  -- JSON: `applied_policies`.
  content text not null,
  primary key (org_id, id)
);

-- A change that was requested and that another person has to approve.
create table change_request (
  org_id uuid not null,
  id uuid not null,
  operation text not null,
  -- The request as JSON, with the bytes of a small file.
  input text not null,
  input_sha256 text not null,
  subject_kind text not null,
  subject_name text not null,
  -- The subject as canonical JSON at the time of the request, and with the change; null where there is none.
  before_state text,
  after_state text,
  -- The role that the operation requires: a requester with less can no longer make the change.
  least_role text not null,
  -- The person who requested it, also through a service account.
  asked_by uuid not null,
  actor_kind text not null check (actor_kind in ('user', 'service_account')),
  actor_id uuid not null,
  actor_name text not null,
  credential_id uuid not null,
  workload text,
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  state text not null check (state in ('pending', 'approved', 'refused', 'withdrawn', 'expired')),
  ended_at timestamptz,
  ended_by text,
  ended_by_id uuid,
  reason text,
  primary key (org_id, id),
  check ((state = 'pending') = (ended_at is null))
);

create unique index change_request_same on change_request (org_id, asked_by, operation, input_sha256)
  where state = 'pending';
create index change_request_listed on change_request (org_id, state, asked_at);
create index change_request_pending on change_request (expires_at) where state = 'pending';
