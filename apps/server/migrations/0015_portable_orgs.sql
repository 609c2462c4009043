-- True for an entry that came with its org from another database, where it was processed. Only an owner can write that.
alter table journal add column is_imported boolean;

-- Orgs that were copied from another database, with their history.
create table org_import (
  org_id uuid primary key,
  -- Entries with numbers up to here came with the org: they may be much older than their numbers.
  last_seq bigint not null,
  imported_at timestamptz not null
);

-- How far receipts had been drawn when the high water was reached: every entry up to there has a lower one.
alter table sequencer add column receipt bigint not null default 0;
update sequencer set receipt = (select last_value from receipt);

-- Puts the sequence of receipts at `reached` or above, while others draw from it. Setting a sequence takes no account of
-- a number that is drawn at that moment, so it is only set from far below, and drawn from otherwise.
create function raise_receipt(reached bigint) returns void
language plpgsql set search_path from current as $$
begin
  if (select last_value from receipt) < reached - 1000000 then
    perform setval('receipt', reached);
  end if;
  while nextval('receipt') < reached loop end loop;
end
$$;

-- The same for a database that was restored or replicated: above every receipt in it, so that new evidence is newer.
-- With the rights of the owner, because servers may draw receipts and not set them.
create function advance_receipt() returns void
language sql security definer set search_path from current as $$
  with unsequenced as (
    select org_id, subject_id from journal where seq > (select high_water from sequencer)
  )
  select raise_receipt(greatest(
    (select receipt from sequencer),
    (select max(trail.receipt) from unsequenced as entry
       join trail on trail.org_id = entry.org_id and trail.id = entry.subject_id),
    (select max(event.receipt) from unsequenced as entry
       join trail_event as event on event.org_id = entry.org_id and event.trail_id = entry.subject_id),
    (select max(artifact.receipt) from unsequenced as entry
       join artifact on artifact.org_id = entry.org_id and artifact.id = entry.subject_id),
    (select max(attestation.receipt) from unsequenced as entry
       join attestation on attestation.org_id = entry.org_id and attestation.id = entry.subject_id),
    (select max(approval.receipt) from unsequenced as entry
       join approval on approval.org_id = entry.org_id and approval.id = entry.subject_id)));
$$;

revoke execute on function raise_receipt, advance_receipt from public;
