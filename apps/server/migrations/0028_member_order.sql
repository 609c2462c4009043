-- Members of a logical environment are answered in the order in which they were given. Members without a position come
-- first, by name.
alter table environment_member add column position integer not null default 0;
