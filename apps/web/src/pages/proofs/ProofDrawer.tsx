import { type LedgerEntry, listLedgerEntries } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { Drawer } from '../../ui/Dialog.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { ProofDownloads } from './ProofDownloads.tsx';
import { ProofEntries } from './ProofEntries.tsx';
import { ProofMeaning } from './ProofMeaning.tsx';
import { type ProofSubject, queryOf } from './proof-subject.ts';
import { TrustedKeysPanel } from './TrustedKeysPanel.tsx';
import { UnsealedNotice } from './UnsealedNotice.tsx';
import { useTrustPolicy } from './use-trust-policy.ts';
import { VerificationPanel } from './VerificationPanel.tsx';

interface DrawerProps {
  readonly org: string;
  readonly of: ProofSubject;
  /** The newest entry unless another was chosen. */
  readonly entryId: string | undefined;
  readonly onEntry: (id: string) => void;
  readonly onClose: () => void;
}

const ENTRIES_SHOWN = 50;

/** The proof that something was recorded, and its verification in this browser. */
export function ProofDrawer({ org, of, entryId, onEntry, onClose }: DrawerProps) {
  const query = { ...queryOf(of), per_page: ENTRIES_SHOWN };
  const entries = useRead(listLedgerEntries, { params: { org }, query }, { fresh: true });
  return (
    <Drawer title={`Proof of this ${of.kind}`} onClose={onClose}>
      <Loaded of={entries}>
        {({ data, pagination: { next } }) => {
          const entry = data.find(({ entry_id }) => entry_id === entryId) ?? data[0];
          if (!entry)
            return (
              <Empty title="Not in the ledger yet">
                The entry gets its place in the ledger within seconds. This page shows it then.
              </Empty>
            );
          return (
            <>
              <ProofEntries entries={data} shown={entry} hasMore={next !== null} onEntry={onEntry} />
              <Proof key={entry.entry_id} org={org} of={of} entry={entry} />
            </>
          );
        }}
      </Loaded>
    </Drawer>
  );
}

function Proof({ org, of, entry }: { readonly org: string; readonly of: ProofSubject; readonly entry: LedgerEntry }) {
  const trust = useTrustPolicy();
  return (
    <>
      {entry.sealed === null ? (
        <UnsealedNotice org={org} />
      ) : (
        <VerificationPanel org={org} of={of} entry={entry} trust={trust} />
      )}
      <TrustedKeysPanel trust={trust} />
      <ProofDownloads org={org} of={of} entry={entry} offered={trust.offered} />
      <ProofMeaning />
    </>
  );
}
