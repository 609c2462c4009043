-- Of the intervals around an index, those whose node lies before it are told by where they end, and those whose node lies
-- behind it by where they begin. With both in order, hardly a row is read that does not hold.
create index running_then_until on running (org_id, environment_id, node, until_index) where until_index is not null;
create index running_instances_then_until on running_instances (org_id, environment_id, node, until_index)
  where until_index is not null;
create index running_verdict_then_until on running_verdict (org_id, environment_id, node, until_index)
  where until_index is not null;
