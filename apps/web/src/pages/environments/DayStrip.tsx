import type { ComplianceDay } from '@waymark/contract';
import { dayOf } from '../../lib/time.ts';
import { classes } from '../../ui/classes.ts';
import { DAY_PARTS, type DayPart, isBefore, sharesOf, sumOf, wordsOf } from './day-strip.ts';

const FILLS: Readonly<Record<DayPart, string>> = {
  compliant: 'bg-good-fill',
  'non-compliant': 'bg-bad-fill',
  unknown: 'bg-unsure-fill',
  'no-data': 'hatch',
};

/** The last days of an environment, one small column each. Days are in UTC, as on the server. */
export function DayStrip({
  days,
  starts,
}: {
  readonly days: readonly ComplianceDay[];
  /** Where each day begins, in seconds since 1970. */
  readonly starts: readonly number[];
}) {
  return (
    <div
      role="img"
      aria-label={`The last ${days.length} days: ${wordsOf(sumOf(days))}.`}
      className="flex h-6 w-36 gap-px"
    >
      {days.map((day, place) => {
        const start = starts[place] ?? place;
        return <DayColumn key={start} day={day} title={`${dayOf(start, 'utc')}: ${wordsOf(day)}`} />;
      })}
    </div>
  );
}

/** A failure is visible however short it was. */
function DayColumn({ day, title }: { readonly day: ComplianceDay; readonly title: string }) {
  const shares = sharesOf(day);
  return (
    <div
      title={title}
      className={classes(
        'flex min-w-0 flex-1 flex-col-reverse overflow-hidden rounded-[2px]',
        // Blank with a base line, so that the day keeps its visible place.
        isBefore(day) ? 'border-b border-line' : 'bg-raised',
      )}
    >
      {DAY_PARTS.filter((part) => shares[part] > 0).map((part) => (
        <div
          key={part}
          className={classes(FILLS[part], part === 'non-compliant' && 'min-h-1.5 shrink-0')}
          style={{ flexGrow: shares[part], flexBasis: 0 }}
        />
      ))}
    </div>
  );
}
