-- JSON: what the answer carried besides its body.
alter table idempotent_reply add column headers text not null default '{}';
