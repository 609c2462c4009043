import type { ComponentDiff } from '@waymark/contract';
import { type Column, DataTable } from '../../ui/DataTable.tsx';

type Change = ComponentDiff['data'][number];
type Side = Change['from'];

export function DiffTable({ rows, empty }: { readonly rows: readonly Change[]; readonly empty: React.ReactNode }) {
  return (
    <DataTable
      caption="Changed components"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ component }) => component}
      empty={empty}
    />
  );
}

const SIGNS: Readonly<Record<Change['kind'], React.ReactNode>> = {
  added: <span className="text-good">Added</span>,
  removed: <span className="text-bad">Removed</span>,
  version: 'Other version',
  license: 'Other license',
};

const COLUMNS: readonly Column<Change>[] = [
  {
    key: 'component',
    title: 'Component',
    wide: true,
    cell: ({ component }) => <span className="[overflow-wrap:anywhere]">{component}</span>,
  },
  { key: 'kind', title: 'Change', cell: ({ kind }) => SIGNS[kind] },
  { key: 'from', title: 'From', cell: ({ from }) => versionsOf(from) },
  { key: 'to', title: 'To', cell: ({ to }) => versionsOf(to) },
  { key: 'license', title: 'License', cell: licensesOf },
];

function versionsOf(side: Side): string {
  return side?.versions.map((version) => version || 'not specified').join(', ') ?? '–';
}

function licensesOf({ from, to }: Change): string {
  const [before, after] = [from, to].map((side) => side?.licenses.join(', '));
  if (before === undefined || after === undefined || before === after) return after || before || '–';
  return `${before || 'none'} → ${after || 'none'}`;
}
