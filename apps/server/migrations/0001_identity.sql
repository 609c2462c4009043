-- The tables of the region: found before the org of a request is known.

create table org (
  id uuid primary key,
  name text not null,
  kind text not null check (kind in ('personal', 'shared')),
  created_at timestamptz not null,
  constraint org_name unique (name)
);

create table user_account (
  id uuid primary key,
  login text not null,
  display_name text,
  email text,
  created_at timestamptz not null,
  constraint user_account_login unique (login)
);

-- Only the SHA-256 of a key is stored. `org_id` and `service_account_id` are set for a service account's key.
create table api_key (
  id uuid primary key,
  hash bytea not null,
  user_id uuid references user_account (id),
  org_id uuid,
  service_account_id uuid,
  description text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint api_key_hash unique (hash),
  check ((user_id is null) <> (service_account_id is null)),
  check ((org_id is null) = (service_account_id is null))
);

-- The tables of an org: every key begins with `org_id`, so that an org can live in another database than its neighbour.

create table membership (
  org_id uuid not null,
  user_id uuid not null,
  role text not null check (role in ('reader', 'snapshotter', 'member', 'admin')),
  created_at timestamptz not null,
  primary key (org_id, user_id)
);

create table service_account (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  privilege text not null check (privilege in ('reader', 'snapshotter', 'member', 'admin')),
  description text not null default '',
  created_by text not null,
  created_at timestamptz not null,
  primary key (org_id, id),
  constraint service_account_name unique (org_id, name)
);
