import { getLedgerProof, listLedgerEntries } from '@waymark/contract';
import { SUBJECT_KINDS, subjectQuery } from '../../ledger/subject-query.ts';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { saveDownload } from '../../resources/save-download.ts';
import { defineCommand } from '../../run/command.ts';
import { type Outcome, rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'Downloads the proof that something was recorded: the entry, its place in the log of the org, the place of that log ' +
    'in the region log, and the cosigned checkpoint. Of a record with several entries it proves the newest; --list shows ' +
    "all. The file is verified with 'waymark ledger verify', without the service.",
  examples: [
    { say: 'An attestation', run: 'waymark ledger proof attestation 01a1e0ce-8657-7731-bb0d-93e1d875a1ef' },
    {
      say: 'A trail, into a file of your choice',
      run: 'waymark ledger proof trail shop/release-1 --to release-1.tlog-proof',
    },
    { say: 'All entries about a policy', run: 'waymark ledger proof policy prod-release --list' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .argument('<kind>', SUBJECT_KINDS.join(', '))
      .argument('<what>', "an id, FLOW/TRAIL, a fingerprint, 'ENV#7', or the name of a policy or an environment")
      .option('--list', 'list the entries, and download nothing')
      .option('--to <file>', 'file to write (- for standard output)')
      .option('--force', 'overwrite an existing file')
      .addOption(limitOption()),
  async run(session, [kind, what], { list, to, force, limit }) {
    const query = await subjectQuery(session, kind, what);
    if (list) return entriesOf(session, query, limit);
    const params = { org: session.need('org') };
    const response = await session.client().download(getLedgerProof, { params, query, signal: session.io.signal });
    const file = to ?? `${kind}-${what.replaceAll(/[^a-zA-Z0-9._-]+/g, '-')}.tlog-proof`;
    const saved = await saveDownload(session.io, response, { file, sha256: null, overwrite: force === true });
    if (to === '-') return { data: saved, text: '' };
    return { data: saved, text: `${saved.file} (${saved.bytes} bytes)` };
  },
});

async function entriesOf(session: Session, query: Record<string, string>, limit: number): Promise<Outcome> {
  const items = session.client().items(listLedgerEntries, {
    params: { org: session.need('org') },
    query: { ...query, per_page: pageSize(limit, 100) },
    signal: session.io.signal,
  });
  const entries = await listItems(session, items, limit);
  return {
    data: entries,
    rows: rowsOf({
      items: entries,
      columns: [
        { title: 'index', of: ({ index }) => index },
        { title: 'time', of: ({ recorded_at }) => showTime(recorded_at, session) },
        { title: 'summary', of: ({ summary }) => summary },
        { title: 'checkpoint', of: ({ sealed }) => sealed && `${sealed.epoch}.${sealed.number}` },
        { title: 'witnesses', of: ({ sealed }) => sealed?.witnesses },
        { title: 'type', of: ({ type }) => type, wide: true },
        { title: 'entry', of: ({ entry_id }) => entry_id },
      ],
      name: ({ entry_id }) => entry_id,
      none: 'No entries record it.',
    }),
  };
}
