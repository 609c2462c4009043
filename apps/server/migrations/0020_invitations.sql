-- Who made a shared org, of which one person may make so many; null for personal ones and for those that an operator made.
alter table org
  add column creating_user_id uuid,
  add column last_modified_at timestamptz;
create index org_of_creator on org (creating_user_id) where creating_user_id is not null;

alter table user_account add column revision bigint not null default 1;

-- The member's own counter tells the order, also of changes that share a moment or come from clocks that differ.
alter table membership_event add column revision bigint not null default 1;
create index membership_event_history on membership_event (org_id, user_id, revision) include (created_at, role);
drop index membership_event_of_user;

-- The log counts what its filters let through, and this is so small because equal keys share an entry: 7 MB for a million.
create index membership_event_kind on membership_event (org_id, event_type, role, source);

-- What the log is searched in when what is looked for fits many.
alter table membership_event add column names text not null
  generated always as (lower(user_name || E'\n' || login || E'\n' || changed_by)) stored;

-- Everybody who is named in the log of an org: what fits few is looked for here, and then by name, not in all rows of
-- the log. Names are cut, because an index takes no text of any length.
create table membership_event_name (
  org_id uuid not null,
  name text not null,
  primary key (org_id, name)
);
insert into membership_event_name (org_id, name)
select distinct org_id, left(lower(named), 200)
from membership_event, unnest(array[user_name, login, changed_by]) as named;
create index membership_event_user on membership_event (org_id, (left(lower(user_name), 200)));
create index membership_event_login on membership_event (org_id, (left(lower(login), 200)));
create index membership_event_actor on membership_event (org_id, (left(lower(changed_by), 200)));

-- Found by its id, or by the address it was sent to, before its org is known. Of the codes only the SHA-256 is stored:
-- one for each attempt to send the mail, as nobody knows which of them arrived. The inviter is a user or a service account.
create table invitation (
  id uuid primary key,
  org_id uuid not null references org (id),
  email text not null,
  role text not null check (role in ('reader', 'snapshotter', 'member', 'admin')),
  invited_by text not null,
  inviter_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  code_hashes bytea[] not null default '{}',
  wrong_codes integer not null default 0,
  accepted_at timestamptz,
  accepted_by uuid,
  revoked_at timestamptz
);
create unique index invitation_open on invitation (org_id, email) where accepted_at is null and revoked_at is null;
create index invitation_of_org on invitation (org_id, created_at);
create index invitation_of_address on invitation (email, created_at);
