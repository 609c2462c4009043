-- The order in which trails, artifacts and attestations were received, over all of them: what decides which report is
-- the newest, whatever the clocks say.
create sequence receipt as bigint;

alter table flow add column auto_created boolean not null default false;

-- Templates as they were when trails pinned them, each kept once in an org. The id is made of the content, so that
-- whoever holds the content knows it.
create table flow_template (
  org_id uuid not null,
  id uuid not null,
  -- YAML text, or (deprecated form) the list of names it was given as.
  content text,
  names text[],
  primary key (org_id, id),
  check ((content is null) <> (names is null))
);

create function flow_template_id(content text, names text[]) returns uuid language sql immutable parallel safe as $$
  select encode(substr(sha256(convert_to(coalesce('yaml ' || content, 'names ' || array_to_string(names, ' ')), 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- Made of the repo_info that trails, artifacts and attestations carry.
create table repository (
  org_id uuid not null,
  id uuid not null,
  -- Provider and the provider's own id where known, because names are given away and taken again.
  identity text not null,
  name text not null,
  url text not null,
  provider text,
  external_id text not null,
  description text not null,
  namespace_path text[] not null,
  additional_info text not null,
  created_at timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, id)
);

create unique index repository_identity on repository (org_id, identity);
create index repository_name on repository (org_id, name, id);

create table trail (
  org_id uuid not null,
  id uuid not null,
  flow_id uuid not null,
  receipt bigint not null default nextval('receipt'),
  name text not null,
  description text not null,
  -- JSON as text, here and below: opaque to us, given back as it was sent, and U+0000 is at home in it.
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

-- What happened to the trail itself; what was reported into it is in the tables of the reports.
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
  -- The rest of what was sent.
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

create table attestation (
  org_id uuid not null,
  id uuid not null,
  receipt bigint not null default nextval('receipt'),
  flow_id uuid not null,
  trail_id uuid not null,
  name text not null,
  -- For example generic, or custom:coverage.
  type text not null,
  -- The type of slot it can fill: its own, or for an override the type of what it overrides.
  counts_as text not null,
  is_compliant boolean not null,
  -- What it is about: the fingerprint; or the template name with the commit; or, with neither, the trail.
  fingerprint text collate "C",
  target_artifact text,
  commit_sha text collate "C",
  -- The attestation whose verdict this one replaces.
  overrides_id uuid,
  -- The version of the custom type that judged it.
  type_version integer,
  control text,
  trust text not null check (trust in ('claimed', 'api_key', 'workload_identity', 'signature')),
  -- What was sent, canonical JSON: the journal holds the digest of these very bytes.
  content text not null,
  -- JSON: why it is not compliant, what was read from the attachment, and the versions of what judged.
  verdict text not null,
  attachment_sha256 text,
  attachment_name text,
  attachment_size bigint,
  repository_id uuid,
  created_at timestamptz not null,
  claimed_at timestamptz,
  created_by text not null,
  primary key (org_id, id)
);

create index attestation_trail on attestation (org_id, trail_id, receipt);
-- Lists are by time of receipt, so that a window of time is a range of the index they are read from.
create index attestation_time on attestation (org_id, created_at, receipt);
create index attestation_flow on attestation (org_id, flow_id, created_at, receipt);
create index attestation_by_name on attestation (org_id, name, created_at, receipt);
create index attestation_by_type on attestation (org_id, type, created_at, receipt);
create index attestation_fingerprint on attestation (org_id, fingerprint, receipt) where fingerprint is not null;
create index attestation_commit on attestation (org_id, commit_sha, created_at, receipt) where commit_sha is not null;

-- What a report with a Waymark-Evidence-Id was answered, for ever: a repeat is answered alike.
create table evidence_receipt (
  org_id uuid not null,
  evidence_id uuid not null,
  subject_id uuid not null,
  request_digest bytea not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (org_id, evidence_id)
);

-- The components that SBOM attestations name, for "where do we have this library?".
create table component (
  org_id uuid not null,
  attestation_id uuid not null,
  position integer not null,
  name text not null,
  version text not null,
  purl text,
  primary key (org_id, attestation_id, position)
);

create index component_name on component (org_id, name, version);
create index component_purl on component (org_id, purl) where purl is not null;
