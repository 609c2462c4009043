-- Counts the journal entries about this repository.
alter table repository add column revision bigint not null default 0;

create index repository_provider on repository (org_id, provider, name, id);
create index repository_external_id on repository (org_id, external_id, id);

-- Approvals of artifacts and requests for them, numbered 1, 2, 3 in their flow.
create table approval (
  org_id uuid not null,
  flow_id uuid not null,
  number integer not null,
  id uuid not null,
  receipt bigint not null default nextval('receipt'),
  -- Of the newest report of the artifact when this was recorded.
  trail_id uuid not null,
  fingerprint text collate "C" not null,
  filename text not null,
  state text not null check (state in ('APPROVED', 'UNAPPROVED', 'PENDING')),
  reviewer text not null,
  description text not null,
  environment text,
  -- What was sent, canonical JSON: the journal holds the digest of these very bytes.
  content text not null,
  created_at timestamptz not null,
  claimed_at timestamptz,
  created_by text not null,
  primary key (org_id, flow_id, number)
);

create index approval_trail on approval (org_id, trail_id, receipt);
create index approval_fingerprint on approval (org_id, flow_id, fingerprint, number);
