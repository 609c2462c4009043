import { useNow } from '../lib/now.ts';
import { usePreferences } from '../lib/preferences.ts';
import { absolute, ago, shortTime } from '../lib/time.ts';

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
  const exact = absolute(at, zone);
  // What has just happened is younger than the last tick, and not in the future.
  const moment = at > now ? Math.floor(Date.now() / 1000) : now;
  const text = as === 'ago' ? ago(at, moment) : as === 'short' ? shortTime(at, zone) : exact;
  return (
    <time
      dateTime={new Date(at * 1000).toISOString()}
      title={exact}
      className="whitespace-nowrap print:whitespace-normal"
    >
      {text}
      {as === 'ago' && <span className="hidden print:inline"> ({exact})</span>}
    </time>
  );
}
