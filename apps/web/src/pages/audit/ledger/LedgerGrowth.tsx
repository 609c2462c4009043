import type { LedgerStatus } from '@waymark/contract';
import { BarsOfDays } from '../../../pictures/BarsOfDays.tsx';
import { BarsTwin } from '../../../pictures/BarsTwin.tsx';
import { Panel } from '../../../ui/Panel.tsx';

/** New entries by day. */
export function LedgerGrowth({ of: { growth } }: { readonly of: LedgerStatus }) {
  const total = growth.reduce((sum, { entries }) => sum + entries, 0);
  const bars = growth.map(({ day, entries }) => ({ start: Date.parse(`${day}T00:00:00Z`) / 1000, count: entries }));
  return (
    <Panel
      title={`Growth, ${growth.length} days`}
      note={`${total.toLocaleString('en')} ${total === 1 ? 'entry' : 'entries'}, by UTC day`}
    >
      <BarsOfDays bars={bars} interval="day" what="entries" />
      <BarsTwin
        caption="New entries by day"
        heads={['Day', 'Entries']}
        rows={growth.map(({ day, entries }) => ({ key: day, cells: [day, entries.toLocaleString('en')] }))}
      />
    </Panel>
  );
}
