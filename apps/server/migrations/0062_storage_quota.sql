-- How much evidence the org may keep. Null where the default of the installation counts.
alter table org add column storage_quota_bytes bigint check (storage_quota_bytes >= 0);
alter table org add column storage_quota_rows bigint check (storage_quota_rows >= 0);
-- The share of the quota that admins were last warned of: 0, 80 or 100 percent.
alter table org add column storage_warned_percent smallint not null default 0;

-- How much evidence an org keeps. Files are counted when they are stored, all else by a worker, seconds later.
create table org_storage (
  org_id uuid primary key,
  -- Of attached files, each content once.
  file_bytes bigint not null default 0,
  -- Of what was sent besides files.
  content_bytes bigint not null default 0,
  row_count bigint not null default 0
) with (fillfactor = 50);

-- The files in the evidence store, whether or not the request that brought them was accepted.
create table evidence_file (
  org_id uuid not null,
  sha256 text collate "C" not null,
  size bigint not null,
  stored_at timestamptz not null,
  primary key (org_id, sha256)
);

-- Rows of a snapshot and of what changed with it, and the bytes of the reported details in them.
alter table snapshot add column kept_rows integer not null default 1;
alter table snapshot add column kept_bytes bigint not null default 0;

-- Up to which snapshot an environment is counted in org_storage.
create table counted_snapshot (
  org_id uuid not null,
  environment_id uuid not null,
  index integer not null,
  primary key (org_id, environment_id)
);

create unique index approval_id on approval (org_id, id);
