-- What a key is limited to, and the keys that jobs get by a workload identity; null for all rights of the role.
alter table api_key add column scope jsonb;
alter table workload_identity add column scope jsonb;
