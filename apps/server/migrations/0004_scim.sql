-- Members as the org's identity provider wants them. `enabled_at` and `key_id` are empty while SCIM is off; what was
-- provisioned stays.
create table scim_setup (
  org_id uuid primary key,
  service_account_id uuid,
  key_id uuid,
  enabled_at timestamptz,
  default_role text check (default_role in ('admin', 'member', 'snapshotter', 'reader')),
  revision bigint not null
);

-- `user_id` is the account; what SCIM says about the person is kept here and changes nothing there.
-- `role_given`: some group or the default gave a role once. From then on, no role is no membership.
create table scim_user (
  org_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  user_name text not null,
  external_id text,
  active boolean not null,
  display_name text,
  name jsonb not null,
  emails jsonb not null,
  addresses text[] not null,
  role_given boolean not null default false,
  revision bigint not null default 1,
  created_at timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, id),
  constraint scim_user_account unique (org_id, user_id)
);

create unique index scim_user_name on scim_user (org_id, lower(user_name));
create index scim_user_external_id on scim_user (org_id, external_id);
create index scim_user_order on scim_user (org_id, created_at, id);
create index scim_user_addresses on scim_user using gin (addresses);

create table scim_group (
  org_id uuid not null,
  id uuid not null,
  display_name text not null,
  external_id text,
  role text check (role in ('admin', 'member', 'snapshotter', 'reader')),
  revision bigint not null default 1,
  created_at timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (org_id, id)
);

create unique index scim_group_name on scim_group (org_id, lower(display_name));

create table scim_group_member (
  org_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  primary key (org_id, group_id, user_id),
  foreign key (org_id, group_id) references scim_group (org_id, id) on delete cascade,
  foreign key (org_id, user_id) references scim_user (org_id, id) on delete cascade
);

create index scim_group_member_user on scim_group_member (org_id, user_id);
