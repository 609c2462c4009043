import type { ComplianceDays } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { dayOf } from '../../lib/time.ts';
import { Link } from '../../ui/Link.tsx';
import { isBefore, percent, sharesOf, wordsOf } from './day-strip.ts';

/** What the strips show, in numbers. */
export function DayStripTwin({ of }: { readonly of: ComplianceDays }) {
  const org = useOrg();
  if (of.environments.length === 0) return null;
  return (
    <details className="mt-3">
      <summary className="cursor-pointer text-[13px] text-quiet hover:text-ink">
        The last {of.days.length} days as a table
      </summary>
      <div className="mt-2 overflow-x-auto rounded-lg border border-line bg-panel">
        <table className="w-full text-left text-[13px] whitespace-nowrap">
          <caption className="sr-only">Share of each day (UTC) in which environments were compliant</caption>
          <thead className="text-quiet">
            <tr>
              <th scope="col" className="px-3 py-1.5 font-medium">
                Compliant for
              </th>
              {of.days.map((start) => (
                <th key={start} scope="col" className="px-2 py-1.5 text-right font-medium">
                  {dayOf(start, 'utc')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {of.environments.map(({ name, days }) => (
              <tr key={name} className="border-t border-line">
                <th scope="row" className="px-3 py-1.5 font-medium">
                  <Link href={paths.timeline(org, name)}>{name}</Link>
                </th>
                {days.map((day, place) => (
                  <td key={of.days[place]} title={wordsOf(day)} className="px-2 py-1.5 text-right">
                    {isBefore(day)
                      ? '–'
                      : sharesOf(day)['no-data'] === 1
                        ? 'no data'
                        : percent(sharesOf(day).compliant)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
