import { useNow } from '../lib/now.ts';
import { usePreferences } from '../lib/preferences.ts';
import { absolute, ago, shortTime, toTheMinute } from '../lib/time.ts';

interface TimeProps {
  /** In seconds since 1970. */
  readonly at: number | null | undefined;
  /** `ago`: how long ago, the exact time in the title. `exact`, `short`: the time itself. */
  readonly as?: 'ago' | 'exact' | 'short';
  readonly none?: string;
}

export function Time({ at, as = 'ago', none = '–' }: TimeProps) {
  const { zone } = usePreferences();
  const now = useNow();
  if (at === null || at === undefined) return <span className="text-quiet">{none}</span>;
  const exact = toTheMinute(at, zone);
  // A time after the last tick is now, not in the future.
  const moment = at > now ? Math.floor(Date.now() / 1000) : now;
  return (
    <time
      dateTime={new Date(at * 1000).toISOString()}
      title={absolute(at, zone)}
      className="whitespace-nowrap print:whitespace-normal"
    >
      {as === 'ago' && (
        <>
          <span className="print:hidden">{ago(at, moment)}</span>
          <span className="hidden print:inline">
            {' '}
            <Exact text={exact} />
          </span>
        </>
      )}
      {as === 'short' && shortTime(at, zone)}
      {as === 'exact' && <Exact text={exact} />}
    </time>
  );
}

/** In a narrow column of a printed page the day and the time take two lines, and no more. */
function Exact({ text }: { readonly text: string }) {
  const [day, time] = text.split(', ');
  return (
    <>
      <span className="whitespace-nowrap">{day},</span> <span className="whitespace-nowrap">{time}</span>
    </>
  );
}
