import { type Environment, MAX_REPORT_DAYS } from '@waymark/contract';
import { useState } from 'react';
import { DAY_SECONDS, dayEnd, dayOfSeconds, dayStart } from '../../lib/day.ts';
import { useNow } from '../../lib/now.ts';
import { withQuery } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { DayInput } from '../../ui/DayInput.tsx';
import { Panel } from '../../ui/Panel.tsx';

const SHOWN_DAYS = 30;

/** The printable report of a period: how long it was compliant, what ran, and each time that it was not. */
export function PeriodReport({ environment }: { readonly environment: Environment }) {
  const org = useOrg();
  const now = useNow();
  const [first, setFirst] = useState(dayOfSeconds(now - (SHOWN_DAYS - 1) * DAY_SECONDS));
  const [last, setLast] = useState(dayOfSeconds(now));
  if (environment.type === 'logical')
    return (
      <Panel title="Environment report">
        <p className="text-quiet">Each member has its own report, in its settings.</p>
      </Panel>
    );
  const [from, to] = [dayStart(first), dayEnd(last)];
  const problem = problemOf(from, to);
  const path = `/api/v2/environments/${encodeURIComponent(org)}/${encodeURIComponent(environment.name)}/report_period`;
  // The end of today is in the future, which a report cannot cover.
  const address = (format: string) => withQuery(path, { from, to: Math.min(to ?? now, now), format });
  return (
    <Panel title="Environment report">
      <p className="mb-3">
        A printable report of the environment’s compliance, runs, provenance, and violations with reasons.
      </p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <DayInput label="From" value={first} onChange={(day) => setFirst(day ?? '')} />
        <DayInput label="To" value={last} onChange={(day) => setLast(day ?? '')} />
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        {problem === undefined ? (
          <>
            <LinkButton href={address('html')}>Open report</LinkButton>
            <LinkButton href={address('pdf')}>Download PDF</LinkButton>
          </>
        ) : (
          <p className="text-bad">{problem}</p>
        )}
      </div>
      <p className="mt-2 text-[12.5px] text-quiet">Dates are in UTC, including the last day.</p>
    </Panel>
  );
}

function problemOf(from: number | undefined, to: number | undefined): string | undefined {
  if (from === undefined || to === undefined) return 'Choose the first and the last day.';
  if (to < from) return 'The last day is before the first.';
  const days = Math.round((to + 1 - from) / DAY_SECONDS);
  return days > MAX_REPORT_DAYS ? `A report covers at most ${MAX_REPORT_DAYS} days.` : undefined;
}
