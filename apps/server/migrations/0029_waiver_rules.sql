-- What an org demands of waivers and overrides: in how many days a waiver must expire (null: it may last), and how many
-- characters a reason must have.
alter table org add column waiver_max_days integer;
alter table org add column reason_min_length integer not null default 0;
