-- Somebody asked for a link by mail, from the browser whose secret has this SHA-256. Each mail that was sent for it has
-- a token of its own, of which only the SHA-256 is stored; one of them can be used, once.
create table sign_in_link (
  id uuid primary key,
  email text not null,
  -- Null for a link that an operator printed: it works in any browser.
  browser_hash bytea,
  next text not null,
  hashes bytea[] not null default '{}',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

create index sign_in_link_hashes on sign_in_link using gin (hashes);
create index sign_in_link_age on sign_in_link (created_at);

-- The link that makes the first user of an installation. There is one at most, and it ends with the first user.
create table set_up_link (
  one boolean primary key default true check (one),
  hash bytea not null,
  expires_at timestamptz not null
);

-- Mails that wait to be sent. What stands in them is made when they are sent, so that no secret rests here.
create table mail (
  id uuid primary key,
  kind text not null,
  subject_id uuid not null,
  org_id uuid,
  due_at timestamptz not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  sent_at timestamptz,
  failed_at timestamptz
);

create index mail_due on mail (due_at) where sent_at is null and failed_at is null;
create index mail_age on mail (created_at);

-- Found by its id, or by the address it was sent to, before its org is known. Of the codes only the SHA-256 is stored:
-- one for each attempt to send the mail, as nobody knows which of them arrived. The inviter is a user or a service account.
create table invitation (
  id uuid primary key,
  org_id uuid not null references org (id),
  email text not null,
  role text not null check (role in ('reader', 'snapshotter', 'member', 'admin')),
  invited_by text not null,
  inviter_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  code_hashes bytea[] not null default '{}',
  wrong_codes integer not null default 0,
  accepted_at timestamptz,
  accepted_by uuid,
  revoked_at timestamptz
);

create unique index invitation_open on invitation (org_id, email) where accepted_at is null and revoked_at is null;
create index invitation_of_org on invitation (org_id, created_at);
create index invitation_of_address on invitation (email, created_at);

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
  -- What the identity provider called the person at their first sign-in, if it did.
  name text,
  created_at timestamptz not null,
  primary key (org_id, id),
  constraint sso_identity_subject unique (org_id, issuer, subject),
  constraint sso_identity_user unique (org_id, issuer, user_id)
);

create index sso_identity_person on sso_identity (org_id, user_id);

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

-- A token is accepted once. Forgotten when it would be refused for its age anyway.
create table used_token (
  issuer text not null,
  jti text not null,
  expires_at timestamptz not null,
  primary key (issuer, jti)
);

create index used_token_expiry on used_token (expires_at);
