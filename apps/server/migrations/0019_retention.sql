-- How long an org promised to keep its records, by type of record. The newest version of a type is in force; earlier
-- ones still hold for what was recorded before they were replaced.
create table retention_setting (
  org_id uuid not null,
  record_type text not null check (record_type in ('attestations', 'trails', 'environments', 'people', 'settings')),
  -- Counts the changes of this type: 1, 2, 3 …
  version integer not null,
  minimum_years integer not null check (minimum_years between 0 and 100),
  set_at timestamptz not null,
  set_by text not null,
  replaced_at timestamptz,
  primary key (org_id, record_type, version)
);

-- Nothing under a hold that was not lifted can be erased.
create table legal_hold (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  reason text not null,
  subject_kind text not null check (subject_kind in ('org', 'environment', 'trail', 'artifact')),
  -- The environment or the trail.
  subject_id uuid,
  fingerprint text collate "C",
  placed_at timestamptz not null,
  placed_by text not null,
  lifted_at timestamptz,
  lifted_by text,
  lift_reason text,
  primary key (org_id, id),
  check ((subject_kind in ('environment', 'trail')) = (subject_id is not null)),
  check ((subject_kind = 'artifact') = (fingerprint is not null)),
  check ((lifted_at is null) = (lifted_by is null) and (lifted_at is null) = (lift_reason is null))
);

create unique index legal_hold_name on legal_hold (org_id, name) where lifted_at is null;
create index legal_hold_time on legal_hold (org_id, placed_at, id);

-- Null once it is erased, which no earlier version does.
-- squawk-ignore ban-drop-not-null
alter table attestation alter column content drop not null;

-- Erased attestations. The attestation itself stays, without what was erased.
create table erasure (
  org_id uuid not null,
  attestation_id uuid not null,
  reason text not null,
  erased_at timestamptz not null,
  erased_by text not null,
  -- The attached file: none, still to be removed, removed, or kept because another attestation has it too.
  attachment text not null check (attachment in ('none', 'pending', 'removed', 'shared')),
  -- Until the file is removed.
  attachment_sha256 text collate "C",
  primary key (org_id, attestation_id),
  check ((attachment in ('pending', 'shared')) = (attachment_sha256 is not null))
);

create index erasure_time on erasure (org_id, erased_at, attestation_id);
create index erasure_attachment on erasure (org_id, attachment_sha256) where attachment_sha256 is not null;
create index erasure_pending on erasure (erased_at, attestation_id) where attachment = 'pending';

-- When an upload last claimed the file, before it was stored; no upload lasts an hour. A file that no row refers to is
-- removed under the generation in which it was found; an upload that comes meanwhile writes the next one, so that it
-- loses nothing. The row stays for a day after the file: a removal that is late by less finds the generation in use.
alter table evidence_file add column claimed_at timestamptz;
alter table evidence_file add column generation integer not null default 0;
alter table evidence_file add column removing_since timestamptz;
alter table evidence_file add column removed_at timestamptz;

-- No file is being removed yet.
-- squawk-ignore require-concurrent-index-creation
create index evidence_file_removing on evidence_file (removing_since, org_id, sha256) where removing_since is not null;

-- How far the files of an org were compared with what refers to them, and with what is in the evidence store. Both are
-- empty between two rounds.
create table file_sweep (
  org_id uuid primary key,
  swept_at timestamptz not null,
  -- The last file of the part that was compared, and the last name of the part that was listed.
  reached text collate "C" not null default '',
  listed text collate "C" not null default ''
);

create index file_sweep_age on file_sweep (swept_at);
