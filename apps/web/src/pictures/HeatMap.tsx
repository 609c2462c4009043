import type { ComplianceDay, ComplianceDays } from '@waymark/contract';
import { Fragment, useLayoutEffect, useRef, useState } from 'react';
import { paths, withQuery } from '../lib/paths.ts';
import { dayOf } from '../lib/time.ts';
import { classes } from '../ui/classes.ts';
import { Link } from '../ui/Link.tsx';
import { HeatMapTable } from './HeatMapTable.tsx';
import { cellOf, dayWidth, describeDay, isLong, nextCell, stepOf } from './heat-map.ts';

const DAY = 86_400;
const NAME_WIDTH = 104;
/** A good day is quiet. The more of a day failed, the stronger is its color. */
const STEPS = ['bg-bad-fill', 'bg-bad-fill/75', 'bg-bad-fill/50', 'bg-bad-fill/30', 'bg-good-wash'] as const;

interface HeatMapProps {
  readonly days: ComplianceDays;
  readonly org: string;
}

/**
 * The part of each day in which each environment was compliant. A day links to its timeline; arrow keys move from day
 * to day. Environments without a report by the end of the period are listed below the picture.
 */
export function HeatMap({ days: { environments, ...period }, org }: HeatMapProps) {
  const isReported = ({ days }: Row) => !days.every((day) => cellOf(day).isBefore);
  const reported = environments.filter(isReported);
  const others = environments.filter((environment) => !isReported(environment));
  return (
    <div>
      {reported.length > 0 && <Picture days={{ ...period, environments: reported }} org={org} />}
      {others.length > 0 && (
        <p className="mt-2 text-[13px] text-quiet">
          {others.length} without a report:{' '}
          {others.map(({ name }, place) => (
            <Fragment key={name}>
              {place > 0 && ', '}
              <Link href={paths.environment(org, name)} className="underline">
                {name}
              </Link>
            </Fragment>
          ))}
        </p>
      )}
    </div>
  );
}

type Row = ComplianceDays['environments'][number];

function Picture({ days, org }: HeatMapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<readonly [number, number]>();
  const size = [days.environments.length, days.days.length] as const;
  const labelEvery = isLong(size[1]) ? 14 : 7;
  const [line, place] = chosen ?? [0, size[1] - 1];
  // Rows and days may have become fewer since it was selected, and Tab has to reach one cell.
  const current = [Math.min(line, size[0] - 1), Math.min(place, size[1] - 1)] as const;
  // The newest days matter most where not all have room.
  useLayoutEffect(() => {
    if (frame.current) frame.current.scrollLeft = frame.current.scrollWidth;
  }, []);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const next = nextCell(event.key, current, size);
    if (!next) return;
    event.preventDefault();
    setChosen(next);
    frame.current?.querySelector<HTMLElement>(`[data-cell="${next.join('-')}"]`)?.focus();
  };
  return (
    <div>
      <div ref={frame} className="relative overflow-x-auto pb-1">
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: each cell leads somewhere, and keys go from one to the next.
          role="grid"
          className="w-full min-w-(--least) table-fixed border-separate border-spacing-0.5 text-[12.5px] print:min-w-0"
          style={{ '--least': `${NAME_WIDTH + size[1] * dayWidth(size[1])}px` } as React.CSSProperties}
          onKeyDown={onKeyDown}
        >
          <caption className="sr-only">Compliance of environments by day, in UTC</caption>
          <thead>
            <tr>
              <th scope="col" className="sticky left-0 z-10 w-26 bg-panel text-left sm:w-44">
                <span className="sr-only">Environment</span>
              </th>
              {days.days.map((start, column) => (
                <DayHead key={start} start={start} isLabelled={(size[1] - 1 - column) % labelEvery === 0} />
              ))}
            </tr>
          </thead>
          <tbody>
            {days.environments.map((environment, row) => (
              <tr key={environment.name}>
                <th scope="row" className="sticky left-0 z-10 bg-panel pr-3 text-left font-medium">
                  <Link href={paths.timeline(org, environment.name)} className="block truncate text-ink">
                    {environment.name}
                  </Link>
                </th>
                {environment.days.map((day, column) => {
                  const start = days.days[column] ?? days.from;
                  return (
                    <td key={start} className="p-0">
                      <DayLink
                        href={withQuery(paths.timeline(org, environment.name), { from: start, to: start + DAY })}
                        says={`${environment.name}, ${dayOf(start, 'utc')}: ${describeDay(day)}`}
                        day={day}
                        cell={`${row}-${column}`}
                        isCurrent={current[0] === row && current[1] === column}
                        onFocus={() => setChosen([row, column])}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Legend />
      <HeatMapTable days={days} />
    </div>
  );
}

function DayHead({ start, isLabelled }: { readonly start: number; readonly isLabelled: boolean }) {
  return (
    <th scope="col" className="relative h-5 p-0 font-normal text-quiet">
      {isLabelled ? (
        <span className="absolute right-0 bottom-0.5 whitespace-nowrap">{dayOf(start, 'utc')}</span>
      ) : (
        <span className="sr-only">{dayOf(start, 'utc')}</span>
      )}
    </th>
  );
}

function DayLink({
  href,
  says,
  day,
  cell,
  isCurrent,
  onFocus,
}: {
  readonly href: string;
  readonly says: string;
  readonly day: ComplianceDay;
  readonly cell: string;
  readonly isCurrent: boolean;
  readonly onFocus: () => void;
}) {
  return (
    <Link
      href={href}
      aria-label={says}
      title={says}
      data-cell={cell}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      className="block h-6 hover:no-underline"
    >
      <DayFace day={day} />
    </Link>
  );
}

/** Color for judged time, hatching for the part of the day without reports, a cross if anything failed. */
function DayFace({ day }: { readonly day: ComplianceDay }) {
  const { share, staleShare, isBefore, isUnjudged } = cellOf(day);
  return (
    <span
      aria-hidden
      className={classes(
        'relative flex h-full items-center justify-center overflow-hidden rounded-[3px]',
        isBefore && 'border border-dashed border-line',
      )}
    >
      <span
        className={classes(
          'absolute inset-x-0 top-0',
          share === null ? (isUnjudged ? 'bg-unsure-wash' : '') : STEPS[stepOf(share)],
        )}
        style={{ height: `${(1 - staleShare) * 100}%` }}
      />
      {staleShare > 0 && (
        <span className="hatch absolute inset-x-0 bottom-0" style={{ height: `${staleShare * 100}%` }} />
      )}
      {share !== null && share < 1 && <span className="relative text-[11px] leading-none font-bold text-ink">✕</span>}
      {isUnjudged && <span className="relative text-[11px] leading-none font-bold text-unsure">?</span>}
      {day.waived && <span className="absolute top-0.5 right-0.5 size-1.5 rounded-full bg-waived" />}
    </span>
  );
}

const NONE: ComplianceDay = { compliant: 0, non_compliant: 0, unknown: 0, no_data: 0, waived: false, snapshots: 0 };
const EXAMPLES: readonly [string, Partial<ComplianceDay>][] = [
  ['compliant all day', { compliant: 1 }],
  ['99% or more', { compliant: 995, non_compliant: 5 }],
  ['90% or more', { compliant: 95, non_compliant: 5 }],
  ['50% or more', { compliant: 6, non_compliant: 4 }],
  ['under 50%', { compliant: 1, non_compliant: 9 }],
  ['not evaluated', { unknown: 1 }],
  ['no reports', { no_data: 1 }],
  ['before the first report', {}],
  ['with a waiver', { compliant: 1, waived: true }],
];

function Legend() {
  return (
    <ul aria-label="Legend" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-[12.5px] text-quiet">
      {EXAMPLES.map(([says, day]) => (
        <li key={says} className="flex items-center gap-1.5">
          <span className="inline-block h-4 w-5">
            <DayFace day={{ ...NONE, ...day }} />
          </span>
          {says}
        </li>
      ))}
    </ul>
  );
}
