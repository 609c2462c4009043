-- For how long what somebody made outlasts their departure by SCIM; 0 is at once.
alter table org add column suspension_delay_hours integer not null default 0
  check (suspension_delay_hours between 0 and 168);

-- Somebody whom the org's identity provider took out, or gave a lesser role, and who had made what grants more.
create table departure (
  org_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  previous_role text not null,
  -- The key for SCIM that did it, if one did. It does not suspend itself.
  scim_key_id uuid,
  departed_at timestamptz not null,
  suspend_at timestamptz not null,
  -- When what they made was suspended, or when they had their role back.
  settled_at timestamptz,
  primary key (org_id, id)
);

create unique index departure_open on departure (org_id, user_id) where settled_at is null;
create index departure_due on departure (suspend_at) where settled_at is null;
create index departure_recent on departure (org_id, departed_at);
