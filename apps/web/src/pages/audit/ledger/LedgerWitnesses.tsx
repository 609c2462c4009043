import type { LedgerStatus, LedgerWitness } from '@waymark/contract';
import { CopyButton } from '../../../ui/Copy.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { StateBadge } from '../../../ui/StateBadge.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';

const COLUMNS: readonly Column<LedgerWitness>[] = [
  {
    key: 'name',
    title: 'Witness',
    wide: true,
    cell: ({ name, url, error }) => (
      <>
        <span className="font-medium">{name}</span>
        <div className="text-[13px] text-quiet [overflow-wrap:anywhere]">{url}</div>
        {error !== null && <div className="text-[13px] text-bad">{error}</div>}
      </>
    ),
  },
  {
    key: 'state',
    title: 'Last request',
    cell: ({ error, cosigned_at: at }) => {
      if (error !== null) return <StateBadge state="non-compliant" word="Failed" />;
      return at === null ? (
        <StateBadge state="unknown" word="Not asked yet" />
      ) : (
        <StateBadge state="compliant" word="Cosigned" />
      );
    },
  },
  { key: 'at', title: 'Last cosignature', cell: ({ cosigned_at }) => <Time at={cosigned_at} none="none yet" /> },
  { key: 'size', title: 'Size', align: 'right', secondary: true, cell: ({ size }) => size.toLocaleString('en') },
  {
    key: 'key',
    title: 'Verifier key',
    secondary: true,
    cell: ({ verifier_key, name }) => (
      <CopyButton text={verifier_key} what={`verifier key of ${name}`} label="Copy key" />
    ),
  },
];

/** Who watches that the ledger only grows. */
export function LedgerWitnesses({ of: { witnesses } }: { readonly of: LedgerStatus }) {
  return (
    <Panel title="Witnesses" flush note="Each cosigns only checkpoints that extend the one it cosigned before.">
      <DataTable
        caption="Witnesses"
        columns={COLUMNS}
        rows={witnesses}
        rowKey={({ verifier_key }) => verifier_key}
        empty={
          <Empty title="No witnesses yet">
            Without a witness, a person with the signing key could show different histories to different people. An
            operator configures witnesses.
          </Empty>
        }
      />
    </Panel>
  );
}
