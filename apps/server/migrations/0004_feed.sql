-- What the live stream of an org shows, numbered 1, 2, 3 … per org; the number is the id of the server-sent event.
create table feed_event (
  org_id uuid not null,
  position bigint not null,
  entry_id uuid not null,
  type text not null,
  subject_kind text not null,
  subject_id uuid not null,
  actor_name text not null,
  recorded_at timestamptz not null,
  primary key (org_id, position)
);

create index feed_event_age on feed_event (recorded_at);

-- The last number given out; outlives the events, which are pruned.
create table feed_head (
  org_id uuid primary key,
  position bigint not null
);
