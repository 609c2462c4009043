create table flow (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null,
  visibility text not null check (visibility in ('private', 'public')),
  -- YAML text, or (deprecated form) the list of names it was given as.
  template text,
  template_names text[],
  repo_url text not null,
  -- Counts the journal entries about this flow.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  last_modified_at timestamptz not null,
  latest_activity_at timestamptz not null,
  archived_at timestamptz,
  primary key (org_id, id),
  check ((template is null) <> (template_names is null))
);

-- Both carry the id, so that deep pages of a list are skipped in the index alone.
create unique index flow_name on flow (org_id, name) include (id) where archived_at is null;
create index flow_activity on flow (org_id, latest_activity_at, name) include (id) where archived_at is null;

-- Names a flow had before. A name is in one place only: an active flow takes it away from here.
create table flow_alias (
  org_id uuid not null,
  name text not null,
  flow_id uuid not null,
  primary key (org_id, name),
  foreign key (org_id, flow_id) references flow (org_id, id)
);

create index flow_alias_flow on flow_alias (org_id, flow_id);

create table tag (
  org_id uuid not null,
  subject_kind text not null,
  subject_id uuid not null,
  key text not null,
  value text not null,
  primary key (org_id, subject_kind, subject_id, key)
);

create index tag_value on tag (org_id, subject_kind, key, value);
