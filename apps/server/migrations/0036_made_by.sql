-- The person who made it, or who made the key that made it; null when the operator did.
alter table service_account add column made_by uuid;
alter table api_key add column made_by uuid;
alter table workload_identity add column made_by uuid;

update service_account set made_by = user_account.id from user_account where user_account.id = creating_user_id;
-- Of keys from before only the owner is known.
update api_key set made_by = user_id where user_id is not null;
update api_key as key set made_by = account.made_by
  from service_account as account where account.org_id = key.org_id and account.id = key.service_account_id;

create index api_key_made_by on api_key (org_id, made_by) where org_id is not null and revoked_at is null;
create index service_account_made_by on service_account (org_id, made_by) where archived_at is null;
create index workload_identity_made_by on workload_identity (org_id, made_by) where removed_at is null;
