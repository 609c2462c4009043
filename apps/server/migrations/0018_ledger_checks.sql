-- How the ledger of each org was last compared with its records.
create table ledger_check (
  org_id uuid primary key,
  -- Of the newest comparison that came to its end; null before.
  at timestamptz,
  entries bigint not null default 0,
  problems bigint not null default 0,
  -- The first of them, in words.
  first_problem text,
  -- Of the comparison under way: what it has found, and where it continues. The roots are those of the tree so far.
  began_at timestamptz,
  found bigint not null default 0,
  first_found text,
  index bigint not null default 0,
  position bigint not null default 0,
  seq bigint not null default 0,
  roots bytea not null default '' check (octet_length(roots) % 32 = 0),
  -- When it had its last turn: the org that waits longest is next.
  turn_at timestamptz not null,
  check ((at is null) or (problems = 0) = (first_problem is null))
) with (fillfactor = 50);

create index ledger_check_turn on ledger_check (turn_at);

-- The same of the region log, which belongs to no org.
create table region_check (
  one boolean primary key default true check (one),
  at timestamptz not null,
  leaves bigint not null,
  problems bigint not null,
  first_problem text,
  check ((problems = 0) = (first_problem is null))
);
