-- What happened to an environment besides its snapshots and instances, which are most of the journal: for the marks and
-- the silences of its timeline.
create index journal_of_environment on journal (org_id, subject_id, recorded_at) where type in
  ('environment.created', 'environment.renamed', 'environment.updated', 'environment.tagged',
   'environment.reporting_again', 'policy.attached', 'policy.detached',
   'allow_list.added', 'allow_list.withdrawn', 'allow_list.expired');

-- When an environment became something else: from one change to the one before it, over all snapshots in between.
create index snapshot_compliance on snapshot (org_id, environment_id, compliance, index);

-- What ran because it was let pass. There is little of it.
create index running_verdict_waived on running_verdict (org_id, environment_id, from_index) where compliance = 'waived';
