-- Lists that were read from evidence, such as the findings of a scan: too long to be a part of the evidence that
-- decisions are made from, which names them by the SHA-256 of their content. They are never changed, and stay when
-- the content of an attestation is erased, as do decisions.
create table reading (
  org_id uuid not null,
  id text collate "C" not null,
  -- JSON.
  content text not null,
  primary key (org_id, id)
);

-- The reading of each attestation that has one.
create table attestation_reading (
  org_id uuid not null,
  attestation_id uuid not null,
  reading_id text collate "C" not null,
  -- The number of items in it.
  size integer not null,
  -- Of its content, if this attestation was the first with it.
  stored_bytes bigint not null,
  primary key (org_id, attestation_id)
);

create index attestation_reading_reading on attestation_reading (org_id, reading_id);

-- What a reading can be found by: ids and aliases of findings, and affected components without their version.
create table reading_key (
  org_id uuid not null,
  key text collate "C" not null,
  reading_id text collate "C" not null,
  -- The first hundred items with this key, from 0.
  positions integer[] not null,
  primary key (org_id, key, reading_id)
);

create index reading_key_reading on reading_key (org_id, reading_id);

-- When a finding was first reported in a flow for an artifact of a name, whatever its version.
create table first_seen (
  org_id uuid not null,
  flow_id uuid not null,
  artifact_name text not null,
  -- Derived from the vulnerability and the component.
  finding_id uuid not null,
  seen_at timestamptz not null,
  primary key (org_id, flow_id, artifact_name, finding_id)
);
