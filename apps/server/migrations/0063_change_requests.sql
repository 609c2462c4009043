-- A change that somebody asked for and another person has to approve.
create table change_request (
  org_id uuid not null,
  id uuid not null,
  operation text not null,
  -- The request as JSON, with the bytes of a small file.
  input text not null,
  input_sha256 text not null,
  subject_kind text not null,
  subject_name text not null,
  -- The subject as canonical JSON when it was asked for, and with the change; null where there is none.
  before_state text,
  after_state text,
  -- What the operation needs at least: an asker who has less can no longer make the change.
  least_role text not null,
  -- The person who asked, also if a service account of theirs did.
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
