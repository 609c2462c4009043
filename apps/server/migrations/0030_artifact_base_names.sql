-- outside a transaction
-- Artifacts are searched by what people call them: without the registry.
create index concurrently if not exists artifact_base_begins on artifact
  (org_id, left(lower(regexp_replace(filename, '^.*/', '')), 200) text_pattern_ops) where strpos(filename, '/') > 0;
