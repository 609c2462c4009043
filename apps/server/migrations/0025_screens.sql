-- What people did, which is little among all that pipelines and reporters record, newest first.
create index journal_activity on journal (org_id, xid, seq, recorded_at) where type not in
  ('trail.begun', 'trail.updated', 'artifact.reported', 'attestation.recorded', 'snapshot.recorded',
   'workload_identity.exchanged');

-- Names by how they begin, in any case. Names of artifacts are cut, because an index takes no text of any length.
create index trail_name_begins on trail (org_id, lower(name) text_pattern_ops);
create index artifact_name_begins on artifact (org_id, left(lower(filename), 200) text_pattern_ops);
