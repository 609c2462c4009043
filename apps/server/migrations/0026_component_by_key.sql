-- outside a transaction
-- Finds a component in any version, in all SBOMs or in one of them.
create index concurrently if not exists component_by_key on component (org_id, component_key(coalesce(purl, name)), attestation_id);
