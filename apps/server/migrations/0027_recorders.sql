-- Whose credential recorded the attestation, as they were then: kind, id, name, role, and of a person the groups of the
-- identity provider and other names; canonical JSON. Empty for attestations from before it was recorded, and once the
-- content is erased.
alter table attestation add column recorder text;
