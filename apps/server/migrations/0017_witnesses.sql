-- What others than the operator say of the region log: witnesses, which cosign its checkpoints, and authorities, which say
-- when one of them existed at the latest.

-- The witnesses of the policy, while they are in it.
create table witness (
  verifier_key text primary key,
  -- In the policy.
  name text not null,
  url text not null,
  -- What it cosigned last. It may be ahead of what is stored as its cosignature, if an answer was lost.
  epoch integer not null default 1,
  size bigint not null default 0,
  cosigned_at timestamptz,
  -- Of the last request, if it failed.
  failed_at timestamptz,
  error text,
  -- Whether it has cosigned what is not in this log, so that the log may have two histories.
  contradicts boolean not null default false,
  -- Of all requests.
  failures bigint not null default 0,
  cosignatures bigint not null default 0,
  -- From signed to cosigned, summed up over all cosignatures.
  delay_ms bigint not null default 0,
  check ((failed_at is null) = (error is null)),
  check (not contradicts or error is not null)
) with (fillfactor = 50);

-- Verified when it was stored.
create table checkpoint_cosignature (
  epoch integer not null,
  number bigint not null,
  verifier_key text not null,
  -- A line of a signed note, with its newline.
  line text not null check (line like E'\u2014 %\n'),
  -- By the clock of the witness.
  cosigned_at timestamptz not null,
  primary key (epoch, number, verifier_key)
);

-- Tokens of RFC 3161 over the note of a checkpoint, as it is in region_checkpoint. Verified when they were stored.
create table time_stamp (
  epoch integer not null,
  number bigint not null,
  -- DER.
  token bytea not null check (octet_length(token) <= 65536),
  -- By the clock of the authority.
  stamped_at timestamptz not null,
  -- The name in its certificate.
  authority text not null,
  primary key (epoch, number)
);

-- One row: how requests to the authority went.
create table time_stamping (
  one boolean primary key default true check (one),
  stamps bigint not null default 0,
  failures bigint not null default 0,
  -- Of the last request, if it failed.
  failed_at timestamptz,
  error text,
  check ((failed_at is null) = (error is null))
) with (fillfactor = 50);

insert into time_stamping default values;

alter table time_stamp alter column token set storage external;
