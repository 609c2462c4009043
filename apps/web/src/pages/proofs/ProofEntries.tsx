import type { LedgerEntry } from '@waymark/contract';
import { Select } from '../../ui/Fields.tsx';
import { Facts, Notice, Panel } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { checkpointWords, isErased, isErasure, witnessWords } from './proof-words.ts';

interface EntriesProps {
  /** Newest first. */
  readonly entries: readonly LedgerEntry[];
  readonly shown: LedgerEntry;
  readonly hasMore: boolean;
  readonly onEntry: (id: string) => void;
}

/** The entry that is proven, and the choice of another one. */
export function ProofEntries({ entries, shown, hasMore, onEntry }: EntriesProps) {
  const { sealed } = shown;
  return (
    <Panel title="Ledger entry">
      {entries.length > 1 && (
        <Select
          className="mb-3"
          label={hasMore ? `Newest ${entries.length} entries` : `${entries.length} entries, newest first`}
          value={shown.entry_id}
          onChange={onEntry}
          choices={entries.map(({ entry_id, summary, index }) => ({ id: entry_id, label: `${summary} (#${index})` }))}
        />
      )}
      {isErasure(shown) && (
        <div className="mb-3">
          <Notice kind="info">
            This entry records the erasure, and restates what stays. Choose an older entry to prove when the attestation
            itself was recorded.
          </Notice>
        </div>
      )}
      {isErased(shown) && (
        <div className="mb-3">
          <Notice kind="unsure" title="Content erased">
            The content of this entry was erased. What remains still proves that it was recorded, when, and in which
            place.
          </Notice>
        </div>
      )}
      <Facts
        rows={[
          ['Summary', shown.summary],
          [
            'Recorded',
            <span key="at">
              <Time at={shown.recorded_at} as="exact" />
              {shown.actor_name !== null && ` by ${shown.actor_name}`}
            </span>,
          ],
          [
            'Entry',
            <span key="entry">
              <code>{shown.type}</code>, index {shown.index.toLocaleString('en')} in the log of this org
            </span>,
          ],
          [
            'Sealed',
            sealed && (
              <span key="sealed">
                <Time at={sealed.signed_at} as="exact" /> in {checkpointWords(sealed)}, {witnessWords(sealed.witnesses)}
                {sealed.time_stamped && ', time stamp'}
              </span>
            ),
          ],
        ]}
      />
    </Panel>
  );
}
