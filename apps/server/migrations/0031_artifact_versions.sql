-- outside a transaction
-- Artifacts are searched by their version alone.
create index concurrently if not exists artifact_version_begins on artifact
  (org_id, left(lower(substring(filename from ':([^:/@]+)(?:@.*)?$')), 200) text_pattern_ops)
  where substring(filename from ':([^:/@]+)(?:@.*)?$') is not null;
