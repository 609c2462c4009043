-- A lane is held for as long as its worker says that it lives: a lease in a row that a turn has locked could not be
-- renewed without waiting for the turn.
alter table processor_position drop column held_until;

-- A re-evaluation that fails again and again is given up, and stays here for an operator to see and replay.
alter table environment_recheck
  add column tries integer not null default 0,
  add column error text,
  add column given_up_at timestamptz;

drop index environment_recheck_due;
create index environment_recheck_due on environment_recheck (requested_at) where given_up_at is null;
create index environment_recheck_given_up on environment_recheck (given_up_at) where given_up_at is not null;
