import type { LedgerStatus, RegionEpoch } from '@waymark/contract';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';

const COLUMNS: readonly Column<RegionEpoch>[] = [
  { key: 'epoch', title: 'Epoch', cell: ({ epoch }) => <span className="font-medium">{epoch}</span> },
  { key: 'reason', title: 'Reason', wide: true, cell: ({ reason }) => reason ?? 'First epoch' },
  { key: 'began', title: 'Began', cell: ({ began_at }) => <Time at={began_at} as="exact" /> },
  { key: 'size', title: 'Size', align: 'right', cell: ({ size }) => size.toLocaleString('en') },
  { key: 'origin', title: 'Origin', secondary: true, cell: ({ origin }) => <code>{origin}</code> },
];

/** Where the region log could not continue, and why. */
export function LedgerEpochs({ of: { epochs } }: { readonly of: LedgerStatus }) {
  return (
    <Panel
      title="Epochs"
      flush
      note="A new epoch begins only if the log cannot continue, and names the break permanently."
    >
      <DataTable
        caption="Epochs of the region log, newest first"
        columns={COLUMNS}
        rows={epochs}
        rowKey={({ epoch }) => String(epoch)}
        empty={<Empty title="No epochs yet">The first checkpoint begins the first epoch.</Empty>}
      />
    </Panel>
  );
}
