-- When what runs has to be judged again because time passes: the first instant after its judgement at which a verdict
-- may become another. A row that comes too early costs one re-evaluation, so those of artifacts that left stay.
create table verdict_turn (
  org_id uuid not null,
  environment_id uuid not null,
  fingerprint text collate "C" not null,
  turns_at timestamptz not null,
  -- When to warn of it. Null afterwards.
  warns_at timestamptz,
  primary key (org_id, environment_id, fingerprint)
);

create index verdict_turn_due on verdict_turn (org_id, turns_at);
create index verdict_turn_warning on verdict_turn (org_id, warns_at) where warns_at is not null;

-- Rows of the old constraints satisfy the new ones, so there is nothing to validate.
alter table snapshot drop constraint snapshot_trigger_check;
alter table snapshot add constraint snapshot_trigger_check
  check (trigger in ('report', 'provenance', 'evidence', 'policy', 'allow-list', 'context', 'time')) not valid;
alter table environment_reevaluation drop constraint environment_reevaluation_cause_check;
alter table environment_reevaluation add constraint environment_reevaluation_cause_check
  check (cause in ('provenance', 'evidence', 'policy', 'allow-list', 'context', 'time')) not valid;
