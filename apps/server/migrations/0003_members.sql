-- The tables of an org: every key begins with `org_id`, so that an org can live in another database than its neighbor.

create table membership (
  org_id uuid not null,
  user_id uuid not null,
  role text not null check (role in ('reader', 'snapshotter', 'member', 'admin')),
  -- Counts the journal entries about this member.
  revision bigint not null default 1,
  created_at timestamptz not null,
  removed_at timestamptz,
  primary key (org_id, user_id)
);

create index membership_of_user on membership (user_id);

-- Every change of a membership, with the names of that time. Rows are never changed.
create table membership_event (
  org_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  -- The member's own counter orders events that share a moment or come from clocks that differ.
  revision bigint not null default 1,
  login text not null,
  user_name text not null,
  changed_by text not null,
  event_type text not null check (event_type in ('added', 'changed', 'removed')),
  role text not null,
  previous_role text not null,
  source text not null check (source in ('app', 'scim', 'invitation', 'script')),
  created_at timestamptz not null,
  -- Searched when the search text matches many names.
  names text not null generated always as (lower(user_name || E'\n' || login || E'\n' || changed_by)) stored,
  primary key (org_id, id)
);

create index membership_event_time on membership_event (org_id, created_at, id);
create index membership_event_history on membership_event (org_id, user_id, revision) include (created_at, role);
create index membership_event_user on membership_event (org_id, (left(lower(user_name), 200)));
create index membership_event_login on membership_event (org_id, (left(lower(login), 200)));
create index membership_event_actor on membership_event (org_id, (left(lower(changed_by), 200)));
-- The log counts the events that match its filters. Equal keys share an entry, so a million events take 7 MB.
create index membership_event_kind on membership_event (org_id, event_type, role, source);

-- Everybody named in the membership log of an org. A search text that matches few names is looked up here and then by
-- name, instead of in all rows of the log. Names are cut, because an index entry is limited in length.
create table membership_event_name (
  org_id uuid not null,
  name text not null,
  primary key (org_id, name)
);

-- Somebody whom the org's identity provider took out, or gave a lesser role, and who had made what grants more.
create table departure (
  org_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  previous_role text not null,
  -- The key for SCIM that did it, if one did. It does not suspend itself.
  scim_key_id uuid,
  departed_at timestamptz not null,
  suspend_at timestamptz not null,
  -- When what they made was suspended, or when they had their role back.
  settled_at timestamptz,
  primary key (org_id, id)
);

create unique index departure_open on departure (org_id, user_id) where settled_at is null;
create index departure_due on departure (suspend_at) where settled_at is null;
create index departure_recent on departure (org_id, departed_at);

create table service_account (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  display_name text,
  description text not null default '',
  privilege text not null check (privilege in ('reader', 'snapshotter', 'member', 'admin')),
  -- Who created it, a user or another service account; null when the operator did.
  creating_user_id uuid,
  -- The person who made it, or who made the key that made it; null when the operator did.
  made_by uuid,
  -- Counts the journal entries about this service account.
  revision bigint not null default 1,
  created_at timestamptz not null,
  created_by text not null,
  archived_at timestamptz,
  primary key (org_id, id)
);

create unique index service_account_name on service_account (org_id, name) where archived_at is null;
create index service_account_made_by on service_account (org_id, made_by) where archived_at is null;

-- Which jobs of which CI system may act as a service account. Removing keeps the row: evidence names it.
create table workload_identity (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  service_account_id uuid not null,
  issuer text not null,
  -- Claim to the value it must have.
  claims jsonb not null,
  -- What the keys of the jobs are limited to; null for all permissions of the role.
  scope jsonb,
  -- The person who made it, or who made the key that made it; null when the operator did.
  made_by uuid,
  -- Counts the journal entries about this workload identity.
  revision bigint not null default 1,
  created_at timestamptz not null,
  created_by text not null,
  -- When it was suspended, because the person who made it left the org or has a lesser role now.
  suspended_at timestamptz,
  removed_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, service_account_id) references service_account (org_id, id)
);

create unique index workload_identity_name on workload_identity (org_id, name) where removed_at is null;
create index workload_identity_issuer on workload_identity (org_id, issuer) where removed_at is null;
create index workload_identity_made_by on workload_identity (org_id, made_by) where removed_at is null;
