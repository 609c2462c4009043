-- Whether every role can read the members and the membership log. Otherwise only admins can.
alter table org add column members_visible boolean not null default false;
