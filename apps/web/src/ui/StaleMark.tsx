import { useNow } from '../lib/now.ts';
import { usePreferences } from '../lib/preferences.ts';
import { absolute, duration } from '../lib/time.ts';

/** The second mark beside a verdict: for how long a report has been overdue. */
export function StaleMark({ since }: { readonly since?: number | null | undefined }) {
  const { zone } = usePreferences();
  const now = useNow();
  const className = 'text-[12.5px] whitespace-nowrap text-quiet';
  if (since == null) return <span className={className}>stale</span>;
  return (
    <time dateTime={new Date(since * 1000).toISOString()} title={absolute(since, zone)} className={className}>
      stale {duration(Math.max(0, now - since))}
    </time>
  );
}
