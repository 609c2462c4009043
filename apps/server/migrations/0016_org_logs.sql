-- The Merkle logs over the ledger: one for each org, and one over their heads, the region log, which is signed. The leaves
-- of an org's log are `ledger.leaf_hash`, so level 0 of its tree is not stored here.

-- One row. Each pass moves `pass`; a sealer that expects another value has been replaced.
create table sealer (
  one boolean primary key default true check (one),
  pass bigint not null default 0,
  -- Which region log is continued. A new one begins by command only.
  epoch integer not null default 1,
  -- Entries that are in the logs of their orgs; all that are sequenced will be.
  sealed bigint not null default 0,
  -- Whether the sealer has a key to sign with.
  has_key boolean not null default false,
  -- Why nothing is signed any more: what was signed before is not in the trees of this database.
  stopped_at timestamptz,
  stopped_because text,
  check ((stopped_at is null) = (stopped_because is null))
);

insert into sealer default values;

-- The tree of each org, up to its head.
create table org_log (
  org_id uuid primary key,
  -- Random: the region log is public, and says nothing about who an org is.
  log_id uuid not null default gen_random_uuid(),
  size bigint not null,
  -- Of the newest sealed entry in its lane: those that follow in the log have higher ones.
  position bigint not null,
  -- Of the complete subtrees, the largest first, 32 bytes each: all that appending needs.
  roots bytea not null check (octet_length(roots) % 32 = 0),
  root bytea not null check (octet_length(root) = 32),
  -- The newest head of it in the region log.
  announced_epoch integer not null,
  announced_size bigint not null,
  -- Why it is not continued, if it is not: its entries in the ledger are not what they were.
  stopped_because text
) with (fillfactor = 50);

-- Tiles of the levels above 0, with up to 256 hashes. The last of a level grows.
create table org_log_tile (
  org_id uuid not null,
  level smallint not null check (level > 0),
  index bigint not null,
  hashes bytea not null check (octet_length(hashes) between 32 and 8192 and octet_length(hashes) % 32 = 0),
  primary key (org_id, level, index)
);

-- The newest signed head of each org's log. Its own table, because it is written beside the passes.
create table org_log_checkpoint (
  org_id uuid primary key,
  epoch integer not null,
  size bigint not null,
  note text not null,
  signed_at timestamptz not null,
  -- Leaves whose tiles and entries are in the object store, under this epoch.
  archived_size bigint not null default 0
) with (fillfactor = 70);

-- The region logs, the current one and those before it.
create table region_log (
  epoch integer primary key check (epoch > 0),
  -- How it is named in what is signed.
  origin text not null,
  size bigint not null default 0,
  roots bytea not null default '' check (octet_length(roots) % 32 = 0),
  -- Of the empty tree, to begin with.
  root bytea not null default sha256('') check (octet_length(root) = 32),
  -- The verifier keys that it has announced last, newest first.
  verifier_keys text[] not null default '{}',
  began_at timestamptz not null,
  -- The last signed head of the epoch before it, and why it ended.
  previous_origin text,
  previous_size bigint,
  previous_root bytea check (octet_length(previous_root) = 32),
  reason text,
  -- Leaves whose tiles and data are in the object store.
  archived_size bigint not null default 0
);

create table region_leaf (
  epoch integer not null,
  -- 0, 1, 2 …
  index bigint not null,
  -- Of a head of an org's log.
  log_id uuid,
  size bigint,
  -- Canonical JSON, which `leaf_hash` is of, as RFC 6962 has it.
  data text not null check (octet_length(data) <= 65535),
  leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
  appended_at timestamptz not null,
  check ((log_id is null) = (size is null)),
  primary key (epoch, index)
);

-- Which head of a log was the first with an entry.
create index region_leaf_of_log on region_leaf (log_id, epoch, size) where log_id is not null;

create table region_tile (
  epoch integer not null,
  level smallint not null check (level > 0),
  index bigint not null,
  hashes bytea not null check (octet_length(hashes) between 32 and 8192 and octet_length(hashes) % 32 = 0),
  primary key (epoch, level, index)
);

-- The signed heads of the region log. Each is in the object store first, under its number, where nothing replaces it.
create table region_checkpoint (
  epoch integer not null,
  -- 1, 2, 3 …
  number bigint not null,
  size bigint not null,
  root bytea not null check (octet_length(root) = 32),
  -- With the signatures of the log.
  note text not null,
  signed_at timestamptz not null,
  primary key (epoch, number),
  unique (epoch, size)
);

-- Hashes do not get smaller.
alter table org_log_tile alter column hashes set storage external;
alter table region_tile alter column hashes set storage external;
