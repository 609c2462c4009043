-- When it was suspended, because the person who made it left the org or may do less there now.
alter table api_key add column suspended_at timestamptz;
alter table workload_identity
  add column suspended_at timestamptz,
  add column revision bigint not null default 1;
