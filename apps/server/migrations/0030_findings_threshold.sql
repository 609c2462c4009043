-- The level at which findings fail in the org; without it, the default.
alter table org add column findings_fail_at text check (findings_fail_at in ('error', 'warning', 'note'));
