-- The overrides of a trail, to find those that name a report that counts. Few attestations are overrides.
create index attestation_override on attestation (org_id, trail_id, overrides_id, receipt) where overrides_id is not null;

-- The branch of the commit that evidence is about, where it says so.
alter table attestation add column branch text;

create index attestation_branch on attestation (org_id, trail_id, commit_sha, receipt) where branch <> '';
create index artifact_branch on artifact (org_id, trail_id, commit_sha, receipt) where branch <> '';
