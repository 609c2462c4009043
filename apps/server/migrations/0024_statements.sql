-- Whether evidence whose signature does not verify is refused. Otherwise it is recorded as non-compliant.
alter table org add column refuse_unverified boolean not null default false;

-- The flows in which the key or identity is trusted; null is any flow.
alter table trusted_key add column flow_ids uuid[];
alter table trusted_identity add column flow_ids uuid[];

-- Whether the subject is a pattern, as for the workflow of any tag.
alter table trusted_identity add column is_pattern boolean not null default false;
