import { countActivity } from '@waymark/contract';
import { dayOfSeconds } from '../../../lib/day.ts';
import { useNow } from '../../../lib/now.ts';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { absolute, dayOf, shortTime } from '../../../lib/time.ts';
import { BarsOfDays } from '../../../pictures/BarsOfDays.tsx';
import { BarsTwin } from '../../../pictures/BarsTwin.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { countedPeriod, lastDayOf } from './activity-period.ts';
import { type ActivitySearch, queryOf } from './activity-search.ts';

const HEADS = { hour: 'Hour', day: 'Day', week: 'Week from' };

/** How much was recorded in the whole period, by the filters of the list. */
export function ActivityCounts({
  search,
  onDays,
}: {
  readonly search: ActivitySearch;
  readonly onDays: (from: string, to: string) => void;
}) {
  const org = useOrg();
  const { per_page: _, after: __, ...filters } = queryOf(search);
  const period = countedPeriod(search.from, search.to, useNow());
  const counted = useRead(countActivity, { params: { org }, query: { ...filters, ...period } });
  const { interval } = period;
  const isNarrowed = search.from !== undefined || search.to !== undefined;
  return (
    <Panel
      title={`Entries by ${interval}`}
      note={isNarrowed ? 'The whole period, in UTC.' : 'The last 30 days, in UTC.'}
    >
      <Loaded of={counted} lines={3}>
        {({ buckets, total, counted_from }) => {
          const bars = buckets.map(({ start, entries }) => ({ start, count: entries }));
          return (
            <>
              {/* Keeps the bars narrow when there are few. */}
              <div style={{ maxWidth: `${Math.max(12, bars.length * 4.5)}rem` }}>
                <BarsOfDays bars={bars} interval={interval} what="entries" />
              </div>
              <p className="mt-2 text-[13px] text-quiet">
                {total === 1 ? '1 entry.' : `${total.toLocaleString('en')} entries.`}
                {counted_from !== null &&
                  ` The period has too many entries to count: only those since ${absolute(counted_from, 'utc')} are.`}
              </p>
              <BarsTwin
                caption={`Entries by ${interval}`}
                heads={[HEADS[interval], 'Entries']}
                rows={bars.toReversed().map(({ start, count }) => ({
                  key: String(start),
                  cells: [
                    interval === 'hour' ? (
                      `${shortTime(start, 'utc')}`
                    ) : (
                      <button
                        key="days"
                        type="button"
                        className="cursor-pointer text-accent hover:underline"
                        onClick={() => onDays(dayOfSeconds(start), lastDayOf(start, interval))}
                      >
                        {dayOf(start, 'utc')}
                      </button>
                    ),
                    count,
                  ],
                }))}
              />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
