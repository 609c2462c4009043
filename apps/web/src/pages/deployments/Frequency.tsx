import { dayOf, duration } from '../../lib/time.ts';
import { BarsOfDays } from '../../pictures/BarsOfDays.tsx';
import { BarsTwin } from '../../pictures/BarsTwin.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import { useFrequency } from './use-frequency.ts';
import { daysIn, type Window } from './window.ts';

interface FrequencyProps {
  readonly env: string;
  readonly window: Window;
}

/** How often an environment was deployed to. */
export function Frequency({ env, window }: FrequencyProps) {
  const answer = useFrequency(env, window);
  return (
    <Panel title={`Frequency in ${env}`} note={answer.data && `${answer.data.total.toLocaleString('en')} deployments`}>
      <Loaded of={answer}>
        {({ buckets, total, interval }) => {
          const bars = buckets.map(({ start, deployments }) => ({ start, count: deployments }));
          return (
            <>
              <BarsOfDays bars={bars} interval={interval} what="deployments" />
              <p className="mt-2 text-[13px] text-quiet">
                {perDay(total, daysIn(window))} a day on average. Days and weeks are in UTC.
              </p>
              <BarsTwin
                caption={`Deployments to ${env} by ${interval}`}
                heads={[interval === 'day' ? 'Day' : 'Week from', 'Deployments', 'Median lead time']}
                rows={buckets.map(({ start, deployments, median_lead_time_seconds: lead }) => ({
                  key: String(start),
                  cells: [dayOf(start, 'utc'), deployments, lead === null ? '–' : duration(lead)],
                }))}
              />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function perDay(total: number, days: number): string {
  const rate = total / days;
  return rate.toLocaleString('en', { maximumFractionDigits: rate < 1 ? 2 : 1 });
}
