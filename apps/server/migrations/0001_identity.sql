-- The tables of the region: found before the org of a request is known.

create table org (
  id uuid primary key,
  name text not null,
  kind text not null check (kind in ('personal', 'shared')),
  -- Who created a shared org, of which one person may create a limited number. Null for personal orgs and for those that
  -- an operator created.
  creating_user_id uuid,
  -- Opens what is beta to the whole org.
  experimental_features_enabled boolean not null default false,
  -- The level at which findings fail; null for the default.
  findings_fail_at text check (findings_fail_at in ('error', 'warning', 'note')),
  -- Who changes policies, their attachments, waivers and trust.
  change_control text not null default 'off' check (change_control in ('off', 'admins', 'two_people')),
  -- While it is set, people enter the org only through its own identity provider.
  sso_enforced_at timestamptz,
  -- How long keys outlast the departure of the person who made them, if SCIM removed that person; 0 is at once.
  suspension_delay_hours integer not null default 0 check (suspension_delay_hours between 0 and 168),
  -- How much evidence the org may keep; null for the default of the installation.
  storage_quota_bytes bigint check (storage_quota_bytes >= 0),
  storage_quota_rows bigint check (storage_quota_rows >= 0),
  -- The share of the quota that admins were last warned of: 0, 80 or 100 percent.
  storage_warned_percent smallint not null default 0,
  -- Counts the journal entries about this org.
  revision bigint not null default 1,
  created_at timestamptz not null,
  last_modified_at timestamptz,
  constraint org_name unique (name)
);
create index org_of_creator on org (creating_user_id) where creating_user_id is not null;

create table user_account (
  id uuid primary key,
  login text not null,
  display_name text,
  email text,
  personal_org_id uuid not null references org (id),
  default_org_id uuid references org (id),
  -- Counts the journal entries about this user.
  revision bigint not null default 1,
  created_at timestamptz not null,
  constraint user_account_login unique (login)
);

-- One address is one person, in whatever case it is written.
create unique index user_account_email on user_account (lower(email));

-- Only the SHA-256 of a key is stored. `org_id` and `service_account_id` are set for a service account's key.
create table api_key (
  id uuid primary key,
  hash bytea not null,
  user_id uuid references user_account (id),
  org_id uuid,
  service_account_id uuid,
  purpose text not null default 'api' check (purpose in ('api', 'scim')),
  -- What the key is limited to; null for all permissions of its role.
  scope jsonb,
  -- Set for the key of a person whom that org's identity provider signed in: it is valid in that org only.
  only_org_id uuid,
  -- Set for the key of a CI job: the claims that were verified, and the rule that accepted them.
  workload text,
  workload_identity_id uuid,
  description text not null,
  -- The person who made it, or who made the key that made it; null when the operator did.
  made_by uuid,
  -- Counts the journal entries about this key.
  revision bigint not null default 1,
  created_at timestamptz not null,
  created_by text not null default '',
  last_used_at timestamptz,
  expires_at timestamptz,
  -- The key that a rotation made in its place.
  replaced_by uuid,
  -- When it was suspended, because the person who made it left the org or has a lesser role now.
  suspended_at timestamptz,
  revoked_at timestamptz,
  constraint api_key_hash unique (hash),
  check ((user_id is null) <> (service_account_id is null)),
  check ((org_id is null) = (service_account_id is null))
);

create index api_key_of_user on api_key (user_id, created_at) where user_id is not null;
create index api_key_of_account on api_key (org_id, service_account_id, created_at) where org_id is not null;
create index api_key_made_by on api_key (org_id, made_by) where org_id is not null and revoked_at is null;
create index api_key_of_workload on api_key (workload_identity_id, expires_at) where workload_identity_id is not null;
create index api_key_workload_expiry on api_key (expires_at) where workload_identity_id is not null;
create index api_key_expiring on api_key (expires_at)
  where expires_at is not null and revoked_at is null and replaced_by is null and workload_identity_id is null;
-- Credentials that an org's identity provider vouched for end with it.
create index api_key_of_org on api_key (only_org_id) where only_org_id is not null and revoked_at is null;
-- Lists leave out revoked keys and the keys of CI jobs, of which there may be very many.
create index api_key_listed_of_account on api_key (org_id, service_account_id, created_at, id)
  where org_id is not null and revoked_at is null and workload is null;
create index api_key_listed_of_user on api_key (user_id, created_at, id)
  where user_id is not null and revoked_at is null;

-- Only the SHA-256 of the cookie's value is stored. `only_org_id` as for keys.
create table session (
  id uuid primary key,
  hash bytea not null,
  user_id uuid not null references user_account (id),
  only_org_id uuid,
  method text not null check (method in ('link', 'sso', 'set_up')),
  address text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  revoked_at timestamptz,
  constraint session_hash unique (hash)
);

create index session_of_user on session (user_id, created_at);
create index session_age on session (created_at);
create index session_of_org on session (only_org_id) where only_org_id is not null and revoked_at is null;
