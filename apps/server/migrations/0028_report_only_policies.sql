-- Policies that are evaluated for an environment when someone looks, and change no verdict. A table of its own, so that
-- nothing that judges by attached policies can count one of these.
create table report_only_policy (
  org_id uuid not null,
  environment_id uuid not null,
  policy_id uuid not null,
  attached_at timestamptz not null,
  attached_by text not null,
  primary key (org_id, environment_id, policy_id),
  foreign key (org_id, environment_id) references environment (org_id, id),
  foreign key (org_id, policy_id) references policy (org_id, id)
);

create index report_only_policy_policy on report_only_policy (org_id, policy_id);
