-- What every request is recognised by: keys that know more about themselves, and sessions of people.

alter table user_account
  add column personal_org_id uuid references org (id),
  add column default_org_id uuid references org (id);
update user_account set personal_org_id = org.id from org where org.name = user_account.login and org.kind = 'personal';
alter table user_account alter column personal_org_id set not null;
-- One address is one person, however it is written.
create unique index user_account_email on user_account (lower(email));

-- While it is set, people enter the org only through its own identity provider.
alter table org add column sso_enforced_at timestamptz;

-- `only_org_id`: the key is of a person whom that org's identity provider spoke for, and is good there alone.
-- `workload`: made for a job of a CI system, with the claims that were verified.
alter table api_key
  add column purpose text not null default 'api' check (purpose in ('api', 'scim')),
  add column only_org_id uuid,
  add column workload text,
  add column last_used_at timestamptz,
  add column created_by text not null default '';
create index api_key_of_user on api_key (user_id, created_at) where user_id is not null;
create index api_key_of_account on api_key (org_id, service_account_id, created_at) where org_id is not null;

alter table membership
  add column revision bigint not null default 1,
  add column removed_at timestamptz;
create index membership_of_user on membership (user_id);

alter table service_account
  add column display_name text,
  add column creating_user_id uuid,
  add column for_webhook boolean not null default false,
  add column revision bigint not null default 1,
  add column archived_at timestamptz;
alter table service_account drop constraint service_account_name;
create unique index service_account_name on service_account (org_id, name) where archived_at is null;

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
