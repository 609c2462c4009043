create table flow (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null,
  visibility text not null check (visibility in ('private', 'public')),
  -- YAML text, or (deprecated) the list of names that was sent.
  template text,
  template_names text[],
  repo_url text not null,
  auto_created boolean not null default false,
  -- Counts the journal entries about this flow.
  revision bigint not null,
  created_at timestamptz not null,
  created_by text not null,
  last_modified_at timestamptz not null,
  latest_activity_at timestamptz not null,
  last_deployment_at timestamptz,
  archived_at timestamptz,
  primary key (org_id, id),
  check ((template is null) <> (template_names is null))
);

-- Both include the id, so that deep pages of a list are skipped in the index alone.
create unique index flow_name on flow (org_id, name) include (id) where archived_at is null;
create index flow_activity on flow (org_id, latest_activity_at, name) include (id) where archived_at is null;

-- Old names of flows. A name resolves to one flow: a new flow that takes a name removes it from here.
create table flow_alias (
  org_id uuid not null,
  name text not null,
  flow_id uuid not null,
  primary key (org_id, name),
  foreign key (org_id, flow_id) references flow (org_id, id)
);

create index flow_alias_flow on flow_alias (org_id, flow_id);

-- Templates pinned by trails, each stored once per org. The id is derived from the content.
create table flow_template (
  org_id uuid not null,
  id uuid not null,
  -- YAML text, or (deprecated) the list of names that was sent.
  content text,
  names text[],
  primary key (org_id, id),
  check ((content is null) <> (names is null))
);

create function flow_template_id(content text, names text[]) returns uuid language sql immutable parallel safe as $$
  select encode(substr(sha256(convert_to(coalesce('yaml ' || content, 'names ' || array_to_string(names, ' ')), 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- From the repo_info that trails, artifacts and attestations carry.
create table repository (
  org_id uuid not null,
  id uuid not null,
  -- Provider and the provider's own id where known, because names are reused.
  identity text not null,
  name text not null,
  url text not null,
  provider text,
  external_id text not null,
  description text not null,
  namespace_path text[] not null,
  additional_info text not null,
  -- Counts the journal entries about this repository.
  revision bigint not null default 0,
  created_at timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, id)
);

create unique index repository_identity on repository (org_id, identity);
create index repository_name on repository (org_id, name, id);
create index repository_provider on repository (org_id, provider, name, id);
create index repository_external_id on repository (org_id, external_id, id);

create table tag (
  org_id uuid not null,
  subject_kind text not null,
  subject_id uuid not null,
  key text not null,
  value text not null,
  primary key (org_id, subject_kind, subject_id, key)
);

create index tag_value on tag (org_id, subject_kind, key, value);
