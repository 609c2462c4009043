-- Answers to POST requests that carried an Idempotency-Key, kept for a day.
create table idempotent_reply (
  org_id uuid not null,
  actor_id uuid not null,
  key text not null,
  operation text not null,
  input_digest bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null,
  primary key (org_id, actor_id, key)
);

create index idempotent_reply_age on idempotent_reply (created_at);
