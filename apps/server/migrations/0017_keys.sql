-- `revision` counts what happened to a key, `replaced_by` is the key that a rotation made in its place.
alter table api_key
  add column revision bigint not null default 1,
  add column replaced_by uuid;

-- Lists leave out what was revoked and what was made for a job of a CI system, of which there may be very many.
create index api_key_listed_of_account on api_key (org_id, service_account_id, created_at, id)
  where org_id is not null and revoked_at is null and workload is null;
create index api_key_listed_of_user on api_key (user_id, created_at, id)
  where user_id is not null and revoked_at is null;
