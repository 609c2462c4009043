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

-- Somebody asked for a link by mail, from the browser whose secret has this SHA-256. Each mail that was sent for it has
-- a token of its own, of which only the SHA-256 is stored; one of them can be used, once.
create table sign_in_link (
  id uuid primary key,
  email text not null,
  browser_hash bytea not null,
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
