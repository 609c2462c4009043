-- Workers take re-evaluations of each org in turn.
create index environment_recheck_due_of_org on environment_recheck (org_id, requested_at) where given_up_at is null;
