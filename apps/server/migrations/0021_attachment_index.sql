-- outside a transaction
-- Which attestations have a file: asked before it is removed.
create index concurrently if not exists attestation_attachment on attestation (org_id, attachment_sha256) where attachment_sha256 is not null;
