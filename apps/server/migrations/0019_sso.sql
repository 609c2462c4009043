-- How people of an org sign in through its own identity provider. `setting_id` is another one after each change of what
-- matters for signing in, so that what was begun or tested under an earlier one does not count.
create table sso_setting (
  org_id uuid primary key,
  setting_id uuid not null,
  issuer text not null,
  client_id text not null,
  -- Unreadable without the key of the installation. Null for a public client.
  sealed_secret text,
  email_domains text[] not null,
  default_role text not null check (default_role in ('reader', 'snapshotter', 'member')),
  configured_at timestamptz not null,
  configured_by text not null,
  tested_at timestamptz,
  tested_by uuid,
  revision bigint not null default 1,
  removed_at timestamptz
);

-- Who an identity provider means by a subject. Never changed: an address may go to somebody else, a subject may not.
create table sso_identity (
  org_id uuid not null,
  id uuid not null,
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  email text not null,
  created_at timestamptz not null,
  primary key (org_id, id),
  constraint sso_identity_subject unique (org_id, issuer, subject),
  constraint sso_identity_user unique (org_id, issuer, user_id)
);

-- Somebody was sent to an identity provider, from the browser whose secret has this SHA-256. Found by the SHA-256 of the
-- state that comes back, and deleted by the one who finds it.
create table sign_in_attempt (
  state_hash bytea primary key,
  browser_hash bytea not null,
  org_id uuid not null,
  setting_id uuid not null,
  purpose text not null check (purpose in ('sign-in', 'test')),
  -- Whose test it is.
  session_id uuid,
  next text,
  expires_at timestamptz not null
);
create index sign_in_attempt_expiry on sign_in_attempt (expires_at);

-- What an org's identity provider vouched for ends with it.
create index session_of_org on session (only_org_id) where only_org_id is not null and revoked_at is null;
create index api_key_of_org on api_key (only_org_id) where only_org_id is not null and revoked_at is null;
