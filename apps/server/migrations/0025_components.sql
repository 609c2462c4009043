-- The SBOM of each attestation that has one. A list of components is stored once per org, as rows of `component` under
-- an id derived from its content; lists of earlier versions have the id of their attestation.
-- squawk-ignore-file require-concurrent-index-creation
set local statement_timeout = 0;

create table sbom (
  org_id uuid not null,
  attestation_id uuid not null,
  -- The `attestation_id` of the rows in `component`.
  list_id uuid not null,
  -- The number of components.
  size integer not null,
  -- The rows of the list, if this attestation was the first with it.
  stored_rows integer not null,
  -- The subject, as in its attestation.
  trail_id uuid not null,
  fingerprint text collate "C",
  target_artifact text,
  commit_sha text collate "C",
  primary key (org_id, attestation_id)
);

insert into sbom (org_id, attestation_id, list_id, size, stored_rows, trail_id, fingerprint, target_artifact, commit_sha)
select org_id, id, id, found.size, found.size, trail_id, fingerprint, target_artifact, commit_sha
from (select org_id, attestation_id as id, count(*) as size from component group by org_id, attestation_id) as found
join attestation using (org_id, id);

create index sbom_list on sbom (org_id, list_id);
create index sbom_fingerprint on sbom (org_id, fingerprint, attestation_id) where fingerprint is not null;
create index sbom_target on sbom (org_id, trail_id, target_artifact, attestation_id)
  where fingerprint is null and target_artifact is not null;

-- As the SBOM says it: an SPDX expression, or a name.
alter table component add column license text;

-- A package URL without version, qualifiers, and subpath, or a name, in one spelling.
create function component_key(component text) returns text language sql immutable parallel safe as $$
  select left(case when bare like 'pkg:pypi/%' then replace(bare, '_', '-') else bare end, 500)
  from (
    select replace(lower(regexp_replace(regexp_replace(component, '[?#].*$', ''), '(.)@[^/@]*$', '\1')), '%40', '@')
  ) as one (bare)
$$;
