-- outside a transaction
-- The trails of a flow are filtered by branch. An index limits the length of a text.
create index concurrently if not exists trail_branch on trail (org_id, flow_id, left(branch, 200), receipt) include (id)
  where branch is not null;
