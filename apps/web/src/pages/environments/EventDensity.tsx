import { type Environment, listComplianceDays } from '@waymark/contract';
import { dayOfSeconds } from '../../lib/day.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { dayOf } from '../../lib/time.ts';
import { BarsOfDays } from '../../pictures/BarsOfDays.tsx';
import { BarsTwin } from '../../pictures/BarsTwin.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import type { EventWindow } from './event-window.ts';

/** As many as the server counts in one response. */
const MEMBERS = 50;

/** The days with changes: each snapshot is one. */
export function EventDensity({
  environment,
  window,
  onDay,
}: {
  readonly environment: Environment;
  readonly window: EventWindow;
  readonly onDay: (day: string) => void;
}) {
  const org = useOrg();
  const all = environment.type === 'logical' ? environment.included_environments : [environment.name];
  const names = all.slice(0, MEMBERS);
  const counted = useRead(
    listComplianceDays,
    { params: { org }, query: { days: window.days, until: window.to, environment: names } },
    { enabled: names.length > 0 && environment.last_changed_at !== null },
  );
  if (names.length === 0 || environment.last_changed_at === null) return null;
  return (
    <Panel
      title="Snapshots per day"
      note={
        all.length > names.length
          ? `Days are in UTC. The first ${names.length} of ${all.length} members by name.`
          : 'Days are in UTC.'
      }
    >
      <Loaded of={counted} lines={3}>
        {({ days, environments }) => {
          const bars = days.map((start, place) => ({
            start,
            count: environments.reduce((sum, { days: own }) => sum + (own[place]?.snapshots ?? 0), 0),
          }));
          return (
            <>
              <BarsOfDays bars={bars} interval="day" what="snapshots" />
              <BarsTwin
                caption="Snapshots per day"
                heads={['Day', 'Snapshots']}
                rows={bars.toReversed().map(({ start, count }) => ({
                  key: String(start),
                  cells: [<Day key="day" start={start} onDay={onDay} />, count],
                }))}
              />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Day({ start, onDay }: { readonly start: number; readonly onDay: (day: string) => void }) {
  return (
    <button
      type="button"
      className="cursor-pointer text-accent hover:underline"
      onClick={() => onDay(dayOfSeconds(start))}
    >
      {dayOf(start, 'utc')}
    </button>
  );
}
