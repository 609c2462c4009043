-- Who changes policies, their attachments, waivers and trust.
alter table org add column change_control text not null default 'off'
  check (change_control in ('off', 'admins', 'two_people'));
