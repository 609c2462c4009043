-- The order of receipt of trails, artifacts and attestations together: it decides which report is the newest, whatever
-- the clocks say.
create sequence receipt as bigint;

create table trail (
  org_id uuid not null,
  id uuid not null,
  flow_id uuid not null,
  receipt bigint not null default nextval('receipt'),
  name text not null,
  description text not null,
  -- JSON as text, here and below: returned as it was sent, and able to hold U+0000.
  user_data text,
  git_commit_info text,
  commit_sha text,
  branch text,
  repository_id uuid,
  external_urls text,
  origin_url text,
  template_id uuid not null,
  auto_created boolean not null,
  -- Counts the journal entries about this trail.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  last_modified_at timestamptz not null,
  primary key (org_id, id)
);

create unique index trail_name on trail (org_id, flow_id, name);
create index trail_receipt on trail (org_id, receipt) include (id);
create index trail_flow_receipt on trail (org_id, flow_id, receipt) include (id);
-- Prefixes of names, ignoring case. Names of artifacts are cut, as an index limits the length of a text.
create index trail_name_begins on trail (org_id, lower(name) text_pattern_ops);

-- Events of the trail itself; what was reported into it is in the tables of the reports.
create table trail_event (
  org_id uuid not null,
  trail_id uuid not null,
  receipt bigint not null default nextval('receipt'),
  type text not null check (type in ('trail_reported', 'trail_updated')),
  changes text[] not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (org_id, trail_id, receipt)
);

-- Which trails report a commit, newest trail last.
create table trail_commit (
  org_id uuid not null,
  commit_sha text not null,
  trail_receipt bigint not null,
  trail_id uuid not null,
  primary key (org_id, commit_sha, trail_receipt, trail_id)
);

-- Every report of an artifact. No foreign key to the trail, here and in attestation: trails are never deleted, and the
-- lock that the check takes on the trail's row would be contended by every report into it.
create table artifact (
  org_id uuid not null,
  id uuid not null,
  receipt bigint not null default nextval('receipt'),
  flow_id uuid not null,
  trail_id uuid not null,
  fingerprint text collate "C" not null,
  filename text not null,
  template_name text,
  commit_sha text collate "C",
  branch text,
  build_url text not null,
  commit_url text not null,
  repo_url text not null,
  repository_id uuid,
  -- The rest of the sent body.
  content text not null,
  created_at timestamptz not null,
  claimed_at timestamptz,
  created_by text not null,
  primary key (org_id, id)
);

create index artifact_fingerprint on artifact (org_id, fingerprint, receipt);
create index artifact_trail on artifact (org_id, trail_id, receipt);
create index artifact_flow on artifact (org_id, flow_id, receipt);
create index artifact_receipt on artifact (org_id, receipt);
create index artifact_commit on artifact (org_id, commit_sha, receipt) where commit_sha is not null;
create index artifact_repository on artifact (org_id, repository_id, receipt) where repository_id is not null;
create index artifact_branch on artifact (org_id, trail_id, commit_sha, receipt) where branch <> '';
create index artifact_name_begins on artifact (org_id, left(lower(filename), 200) text_pattern_ops);

-- Images for several platforms. The digest of an index fixes what it lists, so reports can differ only by mistake: the
-- newest one that names the platforms counts.
create table image_index (
  org_id uuid not null,
  fingerprint text collate "C" not null,
  -- The receipt of the report that named the platforms.
  receipt bigint not null,
  primary key (org_id, fingerprint)
);

create table image_platform (
  org_id uuid not null,
  index_fingerprint text collate "C" not null,
  platform_fingerprint text collate "C" not null,
  -- Such as linux/arm64; several where the index lists one image for all of them.
  platform text not null,
  receipt bigint not null,
  -- False when a newer report of the index leaves it out. The row stays, so that what runs is re-evaluated.
  is_listed boolean not null,
  primary key (org_id, index_fingerprint, platform_fingerprint),
  foreign key (org_id, index_fingerprint) references image_index (org_id, fingerprint)
);

create index image_platform_indexes on image_platform (org_id, platform_fingerprint, receipt desc);
