-- What is beta is open to the whole org once an admin says so.
alter table org
  add column experimental_features_enabled boolean not null default false,
  -- Counts the journal entries about this org.
  add column revision bigint not null default 1;

create table control (
  org_id uuid not null,
  id uuid not null,
  -- Given by the caller, kept for ever: an archived control goes on holding it.
  identifier text not null,
  name text not null,
  description text not null,
  -- JSON, label to address, in the canonical form, so that equal links are equal text.
  links text not null,
  -- The number of its latest version.
  version integer not null,
  -- Counts the journal entries about this control.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  archived_at timestamptz,
  primary key (org_id, id)
);

create unique index control_identifier on control (org_id, identifier);
create index control_name on control (org_id, name, identifier) include (id);

-- A control as it was after each change, and what the change was. Tags are no part of it.
create table control_version (
  org_id uuid not null,
  control_id uuid not null,
  version integer not null,
  kind text not null check (kind in ('Created', 'Edited', 'Archived', 'Unarchived')),
  name text not null,
  description text not null,
  links text not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (org_id, control_id, version),
  foreign key (org_id, control_id) references control (org_id, id)
);

-- The decisions on a control by time of receipt, counted and skipped in the index alone.
create index attestation_control on attestation (org_id, control, created_at, receipt)
  include (id, flow_id, is_compliant) where control is not null;
