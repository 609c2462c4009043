-- What the identity provider called the person at their first visit, if it did.
alter table sso_identity add column name text;
create index sso_identity_person on sso_identity (org_id, user_id);
