import { dashboard, lines } from './kit.ts';
import { fromDatabase } from './queries.ts';

/** What follows from the journal, and how late it is. */
export const worker = dashboard({
  uid: 'waymark-worker',
  title: 'Worker and journal',
  about: 'The journal, re-evaluations, notifications and storage, as the workers read them from the database.',
  rows: {
    Journal: [
      lines({
        title: 'Sequencer and publisher lag',
        about:
          'Committed entries without a place in the order, up to 10,000, and entries in order that are not yet published ' +
          'to JetStream. The second is empty without NATS.',
        unit: 'short',
        lines: {
          sequencer: fromDatabase('journal_sequencer_lag_entries'),
          publisher: fromDatabase('journal_publisher_lag_entries'),
        },
      }),
      lines({
        title: 'Processor lag',
        about: 'Entries in order that a processor has not applied yet.',
        unit: 'short',
        lines: { '{{processor}}': fromDatabase('journal_processor_lag_entries', 'processor') },
      }),
      lines({
        title: 'Gaps',
        about:
          'Ranges of numbers that a running or rolled-back transaction has drawn. They pile up while one stays open.',
        unit: 'short',
        lines: { gaps: fromDatabase('journal_gaps') },
      }),
      lines({
        title: 'Oldest gap',
        about: 'For how long a transaction that has written has been open. It delays only its own entries.',
        unit: 's',
        lines: { oldest: fromDatabase('journal_oldest_gap_seconds') },
      }),
      lines({
        title: 'Dead letters',
        about: 'Work that failed too often. Empty while there is none.',
        unit: 'short',
        lines: {
          '{{processor}}': fromDatabase('journal_dead_letters', 'processor'),
          're-evaluation': fromDatabase('reevaluation_dead_letters'),
        },
      }),
      lines({
        title: 'Stray entries and entries found late',
        about:
          'Both must stay as they are: entries outside of every range, and entries that only the comparison found.',
        unit: 'short',
        lines: {
          'stray entries': fromDatabase('journal_stray_entries'),
          'found late': fromDatabase('journal_entries_found_late_total'),
        },
      }),
    ],
    Ledger: [
      lines({
        title: 'Sealer lag',
        about: 'Entries in order that are not in the logs of their orgs.',
        unit: 'short',
        lines: { entries: fromDatabase('ledger_sealer_lag_entries') },
      }),
      lines({
        title: 'Oldest entry without a proof',
        about: 'Age of the oldest entry that no signed checkpoint covers. It stays at 0 without a key.',
        unit: 's',
        lines: { oldest: fromDatabase('ledger_unprovable_seconds') },
      }),
      lines({
        title: 'Signing stopped',
        about: 'Must be 0: the region log would not extend an earlier checkpoint, or an org has missing entries.',
        unit: 'short',
        lines: {
          'signing stopped': fromDatabase('ledger_signing_stopped'),
          'stopped orgs': fromDatabase('ledger_stopped_orgs'),
        },
      }),
      lines({
        title: 'Records that differ from the ledger',
        about: 'Must be 0. Found by the self-check, which takes a part of each org in its turn.',
        unit: 'short',
        lines: { differences: fromDatabase('ledger_check_problems') },
      }),
    ],
    'Re-evaluations and notifications': [
      lines({
        title: 'Re-evaluations waiting',
        about: 'Not done yet, up to 10,000.',
        unit: 'short',
        lines: { waiting: fromDatabase('reevaluations_waiting') },
      }),
      lines({
        title: 'Oldest re-evaluation',
        about: 'How long the first of those due has waited.',
        unit: 's',
        lines: { oldest: fromDatabase('reevaluation_oldest_due_seconds') },
      }),
      lines({
        title: 'Targets with something to send',
        about: 'Targets of notifications that are due now. Those that fail are paused between attempts.',
        unit: 'short',
        lines: { 'failing: {{failing}}': fromDatabase('delivery_due_targets', 'failing') },
      }),
      lines({
        title: 'Oldest notification',
        about: 'How long the first target that is due has waited.',
        unit: 's',
        lines: { oldest: fromDatabase('delivery_oldest_due_seconds') },
      }),
    ],
    Storage: [
      lines({
        title: 'Evidence stored',
        about: 'Bytes of all orgs: files in the evidence store, and content in the database.',
        unit: 'bytes',
        lines: { '{{kind}}': fromDatabase('storage_bytes', 'kind') },
      }),
      lines({
        title: 'Rows of evidence',
        about: 'Of all orgs.',
        unit: 'short',
        lines: { rows: fromDatabase('storage_rows') },
      }),
      lines({
        title: 'Orgs near their storage quota',
        about: 'Orgs that were warned, by percent of their quota. At 100% evidence is refused.',
        unit: 'short',
        lines: { '{{percent}}%': fromDatabase('storage_quota_orgs', 'percent') },
      }),
      lines({
        title: 'Files to remove',
        about: 'Evidence files that nothing refers to any more, and that a worker is about to remove.',
        unit: 'short',
        lines: { files: fromDatabase('evidence_files_removing') },
      }),
      lines({
        title: 'Oldest pending erasure',
        about: 'How long ago an attestation was erased whose file is not removed yet.',
        unit: 's',
        lines: { oldest: fromDatabase('erasure_pending_seconds') },
      }),
    ],
  },
});
