-- Finds the entries about a subject, and so its proofs. On the ledger, so that no write to the journal pays for it: the
-- sequencer writes the ledger, after the commit. It is empty in an installation that upgrades, which the sequencer fills
-- after the migrations; what a development installation has is filled in here.
-- squawk-ignore-file require-concurrent-index-creation
set local statement_timeout = 0;

alter table ledger add column subject_id uuid;

update ledger set subject_id = journal.subject_id from journal
where journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq;

-- By number, which is the key of the journal, and nearly the order of the index.
create index ledger_of_subject on ledger (org_id, subject_id, entry_seq);

-- Finds an entry by its id. Ids begin with their time, as the rows of the ledger do nearly, so each is added at the end.
create index ledger_of_entry_id on ledger (entry_id);
