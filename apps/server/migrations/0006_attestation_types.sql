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

-- Versions of archived types are still asked for by name.
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
