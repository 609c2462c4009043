-- Kinds of evidence that an org defines itself.
create table custom_attestation_type (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null,
  -- Counts the journal entries about this type. While it is active that is the number of its newest version.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  last_modified_at timestamptz not null,
  archived_at timestamptz,
  primary key (org_id, id)
);

create unique index custom_attestation_type_name on custom_attestation_type (org_id, name) where archived_at is null;

-- Versions of archived types can still be read by name.
create index custom_attestation_type_any_name on custom_attestation_type (org_id, name);

create table custom_attestation_type_version (
  org_id uuid not null,
  type_id uuid not null,
  version integer not null,
  -- JSON Schema as it was sent, or none.
  schema text,
  -- Rules in jq; null is the default evaluator, which has none.
  rules text[],
  summary jsonb,
  comment text,
  created_at timestamptz not null,
  created_by text not null,
  primary key (org_id, type_id, version),
  foreign key (org_id, type_id) references custom_attestation_type (org_id, id)
);

create table attestation (
  org_id uuid not null,
  id uuid not null,
  receipt bigint not null default nextval('receipt'),
  flow_id uuid not null,
  trail_id uuid not null,
  name text not null,
  -- For example generic, or custom:coverage.
  type text not null,
  -- The version of the custom type that judged it.
  type_version integer,
  -- The type of slot it can fill: its own, or for an override the type of what it overrides.
  counts_as text not null,
  is_compliant boolean not null,
  -- Its subject: the fingerprint; or the template name with the commit; or, with neither, the trail.
  fingerprint text collate "C",
  target_artifact text,
  commit_sha text collate "C",
  -- The branch of that commit, where it was reported.
  branch text,
  repository_id uuid,
  -- The attestation whose verdict this one replaces.
  overrides_id uuid,
  control text,
  trust text not null check (trust in ('claimed', 'api_key', 'workload_identity', 'signature')),
  -- What was verified about the job that reported it, canonical JSON.
  workload text,
  -- The sent body as canonical JSON: the journal holds the digest of these bytes.
  content text not null,
  -- JSON: the reasons for non-compliance, what was parsed from the attachment, and the versions of what judged.
  verdict text not null,
  attachment_sha256 text,
  attachment_name text,
  attachment_size bigint,
  created_at timestamptz not null,
  claimed_at timestamptz,
  created_by text not null,
  primary key (org_id, id)
);

create index attestation_trail on attestation (org_id, trail_id, receipt);
create index attestation_fingerprint on attestation (org_id, fingerprint, receipt) where fingerprint is not null;
create index attestation_branch on attestation (org_id, trail_id, commit_sha, receipt) where branch <> '';
-- The overrides of a trail, to find those that name a report that counts. Few attestations are overrides.
create index attestation_override on attestation (org_id, trail_id, overrides_id, receipt) where overrides_id is not null;
-- Lists are ordered by time of receipt, so that a period is a range of the index.
create index attestation_time on attestation (org_id, created_at, receipt);
create index attestation_flow on attestation (org_id, flow_id, created_at, receipt);
create index attestation_by_name on attestation (org_id, name, created_at, receipt);
create index attestation_by_type on attestation (org_id, type, created_at, receipt);
create index attestation_commit on attestation (org_id, commit_sha, created_at, receipt) where commit_sha is not null;
-- The decisions on a control by time of receipt, counted and skipped in the index alone.
create index attestation_control on attestation (org_id, control, created_at, receipt)
  include (id, flow_id, is_compliant) where control is not null;

-- The reply to a report with a Waymark-Evidence-Id, for ever: a repeat gets the same reply.
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

-- Approvals of artifacts and requests for them, numbered 1, 2, 3 in their flow.
create table approval (
  org_id uuid not null,
  flow_id uuid not null,
  number integer not null,
  id uuid not null,
  receipt bigint not null default nextval('receipt'),
  -- The trail of the newest report of the artifact when this was recorded.
  trail_id uuid not null,
  fingerprint text collate "C" not null,
  filename text not null,
  state text not null check (state in ('APPROVED', 'UNAPPROVED', 'PENDING')),
  reviewer text not null,
  description text not null,
  environment text,
  -- The sent body as canonical JSON: the journal holds the digest of these bytes.
  content text not null,
  created_at timestamptz not null,
  claimed_at timestamptz,
  created_by text not null,
  primary key (org_id, flow_id, number)
);

create unique index approval_id on approval (org_id, id);
create index approval_trail on approval (org_id, trail_id, receipt);
create index approval_fingerprint on approval (org_id, flow_id, fingerprint, number);

-- Parses a text column as JSON; null where the text is damaged, so that one row does not fail a whole statement.
-- PostgreSQL 15 can only find out by trying, which is not allowed in a parallel plan.
create function readable_json(content text) returns json language plpgsql immutable strict parallel unsafe as $$
begin
  return content::json;
exception when data_exception then
  return null;
end
$$;

-- The files in the evidence store, whether or not the request that sent them was accepted.
create table evidence_file (
  org_id uuid not null,
  sha256 text collate "C" not null,
  size bigint not null,
  stored_at timestamptz not null,
  primary key (org_id, sha256)
);

-- The amount of evidence of an org. Files are counted when they are stored, everything else by a worker, seconds later.
create table org_storage (
  org_id uuid primary key,
  -- Attached files, each content once.
  file_bytes bigint not null default 0,
  -- Sent bodies without files.
  content_bytes bigint not null default 0,
  row_count bigint not null default 0
) with (fillfactor = 50);
