import type { ComplianceDays } from '@waymark/contract';
import { useState } from 'react';
import { dayOf, duration } from '../lib/time.ts';
import { cellOf, percent } from './heat-map.ts';

const HEADS = [
  'Environment',
  'Day (UTC)',
  'Share compliant',
  'Compliant',
  'Non-compliant',
  'Not evaluated',
  'No data',
  'Waiver',
  'Snapshots',
];

/** The exact numbers of the heat map. Rendered when opened: there may be thousands of rows. */
export function HeatMapTable({ days }: { readonly days: ComplianceDays }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="mt-2" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer text-[13px] text-quiet hover:text-ink">As a table</summary>
      {isOpen && (
        <div className="mt-2 overflow-x-auto">
          <table className="w-full min-w-[48rem] text-left text-[13px]">
            <caption className="sr-only">Daily compliance by environment</caption>
            <thead className="text-quiet">
              <tr>
                {HEADS.map((head) => (
                  <th key={head} scope="col" className="py-1 pr-4 font-medium">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.environments.flatMap((environment) =>
                environment.days.map((day, place) => {
                  const { share, isBefore } = cellOf(day);
                  const start = days.days[place] ?? days.from;
                  const cells = [
                    dayOf(start, 'utc'),
                    share === null ? '–' : percent(share),
                    ...[day.compliant, day.non_compliant, day.unknown, day.no_data].map((seconds) =>
                      isBefore ? '–' : duration(seconds),
                    ),
                    day.waived ? 'yes' : 'no',
                    day.snapshots,
                  ];
                  return (
                    <tr key={`${environment.name} ${start}`} className="border-t border-line">
                      <th scope="row" className="py-1 pr-4 font-medium">
                        {environment.name}
                      </th>
                      {cells.map((cell, column) => (
                        <td key={HEADS[column + 1]} className="py-1 pr-4">
                          {cell}
                        </td>
                      ))}
                    </tr>
                  );
                }),
              )}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
