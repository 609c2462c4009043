import type { Timeline } from '@waymark/contract';
import { memo, useState } from 'react';
import { paths } from '../lib/paths.ts';
import { duration } from '../lib/time.ts';
import { Link } from '../ui/Link.tsx';
import { StateBadge } from '../ui/StateBadge.tsx';
import { Time } from '../ui/Time.tsx';
import { gapsIn, versionOf } from './timeline-layout.ts';

const HEAD = 'py-1.5 pr-4 text-left font-medium';
const CELL = 'py-1.5 pr-4 align-top';

/** The picture in words and numbers. Rendered when opened: there may be thousands of rows. */
export const TimelineTable = memo(function TimelineTable({
  org,
  timeline,
}: {
  readonly org: string;
  readonly timeline: Timeline;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer text-[13px] text-quiet hover:text-ink">As a table</summary>
      {isOpen && (
        <div className="mt-2 space-y-5 overflow-x-auto text-[13px]">
          <Runs org={org} timeline={timeline} />
          <Gaps timeline={timeline} />
          <Marks timeline={timeline} />
        </div>
      )}
    </details>
  );
});

function Runs({ org, timeline }: { readonly org: string; readonly timeline: Timeline }) {
  const isStale = gapsIn(timeline, timeline).some(({ until }) => until >= timeline.to);
  return (
    <table className="w-full min-w-[44rem]">
      <caption className="pb-1 text-left font-semibold">Runs</caption>
      <thead className="text-quiet">
        <tr>
          {['Service', 'Version', 'State', 'From', 'Until', 'Duration', 'Instances'].map((head) => (
            <th key={head} scope="col" className={HEAD}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {timeline.lanes.flatMap((lane) =>
          lane.runs.map((run) => (
            <tr key={`${lane.name} ${run.name} ${run.fingerprint} ${run.from}`} className="border-t border-line">
              <th scope="row" className="py-1.5 pr-4 text-left align-top font-medium [overflow-wrap:anywhere]">
                {lane.name}
              </th>
              <td className={CELL}>
                {run.fingerprint === '' ? (
                  versionOf(run)
                ) : (
                  <Link
                    href={
                      run.flow_name === ''
                        ? paths.anyArtifact(org, run.fingerprint)
                        : paths.artifact(org, run.flow_name, run.fingerprint)
                    }
                  >
                    {versionOf(run)}
                  </Link>
                )}
              </td>
              <td className={CELL}>
                {run.states.map(({ from, until, compliance }) => (
                  <div key={from} className="mb-0.5 flex items-center gap-2 whitespace-nowrap">
                    <StateBadge state={compliance} />
                    {run.states.length > 1 && <span className="text-quiet">{duration(until - from)}</span>}
                  </div>
                ))}
              </td>
              <td className={CELL}>
                <Time at={run.from} as="short" />
              </td>
              <td className={CELL}>
                <Time at={run.until} as="short" none={isStale ? 'unknown' : 'running'} />
              </td>
              <td className={CELL}>{duration((run.until ?? timeline.to) - run.from)}</td>
              <td className={CELL}>{run.instances}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}

function Gaps({ timeline }: { readonly timeline: Timeline }) {
  const gaps = gapsIn(timeline, timeline);
  if (gaps.length === 0) return null;
  return (
    <table>
      <caption className="pb-1 text-left font-semibold">Gaps without reports</caption>
      <thead className="text-quiet">
        <tr>
          {['From', 'Until', 'Duration'].map((head) => (
            <th key={head} scope="col" className={HEAD}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {gaps.map(({ from, until }) => (
          <tr key={from} className="border-t border-line">
            <td className={CELL}>
              <Time at={from} as="short" />
            </td>
            <td className={CELL}>
              <Time at={until} as="short" />
            </td>
            <td className={CELL}>{duration(until - from)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Marks({ timeline }: { readonly timeline: Timeline }) {
  if (timeline.marks.length === 0) return null;
  return (
    <table>
      <caption className="pb-1 text-left font-semibold">Rule and waiver changes</caption>
      <thead className="text-quiet">
        <tr>
          <th scope="col" className={HEAD}>
            When
          </th>
          <th scope="col" className={HEAD}>
            Change
          </th>
        </tr>
      </thead>
      <tbody>
        {timeline.marks.map(({ at, text }) => (
          <tr key={`${at} ${text}`} className="border-t border-line">
            <td className={CELL}>
              <Time at={at} as="short" />
            </td>
            <td className={CELL}>{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
