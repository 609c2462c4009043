-- Which jobs of which CI system may act as a service account. Removing keeps the row: evidence names it.
create table workload_identity (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  service_account_id uuid not null,
  issuer text not null,
  -- Claim to the value it must have.
  claims jsonb not null,
  created_at timestamptz not null,
  created_by text not null,
  removed_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, service_account_id) references service_account (org_id, id)
);

create unique index workload_identity_name on workload_identity (org_id, name) where removed_at is null;
create index workload_identity_issuer on workload_identity (org_id, issuer) where removed_at is null;

-- A token is accepted once. Forgotten when it would be refused for its age anyway.
create table used_token (
  issuer text not null,
  jti text not null,
  expires_at timestamptz not null,
  primary key (issuer, jti)
);
create index used_token_expiry on used_token (expires_at);

alter table api_key add column workload_identity_id uuid;
create index api_key_of_workload on api_key (workload_identity_id, expires_at) where workload_identity_id is not null;
create index api_key_workload_expiry on api_key (expires_at) where workload_identity_id is not null;

-- What was verified about the job that reported it, as canonical JSON.
alter table attestation add column workload text;
