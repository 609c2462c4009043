-- outside a transaction
-- The trails of a flow are filtered by time.
create index concurrently if not exists trail_created on trail (org_id, flow_id, created_at, receipt) include (id);
