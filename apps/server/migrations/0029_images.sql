-- Images for several platforms. The digest of an index fixes what it lists, so reports can differ only by mistake: the
-- newest one that names the platforms counts.
create table image_index (
  org_id uuid not null,
  fingerprint text collate "C" not null,
  -- Of the report that named the platforms.
  receipt bigint not null,
  primary key (org_id, fingerprint)
);

create table image_platform (
  org_id uuid not null,
  index_fingerprint text collate "C" not null,
  platform_fingerprint text collate "C" not null,
  -- Such as linux/arm64; several where the index lists one image for all of them.
  platform text not null,
  receipt bigint not null,
  -- False when a newer report of the index leaves it out. The row stays, so that what runs is re-evaluated.
  is_listed boolean not null,
  primary key (org_id, index_fingerprint, platform_fingerprint),
  foreign key (org_id, index_fingerprint) references image_index (org_id, fingerprint)
);

create index image_platform_indexes on image_platform (org_id, platform_fingerprint, receipt desc);
