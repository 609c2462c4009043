-- Who became, changed and ceased to be what, in the words of the time. Rows are never changed.
create table membership_event (
  org_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  login text not null,
  user_name text not null,
  changed_by text not null,
  event_type text not null check (event_type in ('added', 'changed', 'removed')),
  role text not null,
  previous_role text not null,
  source text not null check (source in ('app', 'scim', 'invitation', 'script')),
  created_at timestamptz not null,
  primary key (org_id, id)
);
create index membership_event_time on membership_event (org_id, created_at, id);
create index membership_event_of_user on membership_event (org_id, user_id, created_at, id);

-- Members from before this table was kept.
insert into membership_event
  (org_id, id, user_id, login, user_name, changed_by, event_type, role, previous_role, source, created_at)
select membership.org_id, gen_random_uuid(), user_id, login, coalesce(display_name, login), 'waymark-server', 'added', role, '',
  'script', membership.created_at
from membership join user_account on user_account.id = user_id;
