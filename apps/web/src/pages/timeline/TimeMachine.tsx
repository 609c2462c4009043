import type { Timeline as TimelineData } from '@waymark/contract';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { usePreferences } from '../../lib/preferences.ts';
import { useOrg } from '../../lib/route.ts';
import { shortTime } from '../../lib/time.ts';
import { Timeline } from '../../pictures/Timeline.tsx';
import { TimelineOverview } from '../../pictures/TimelineOverview.tsx';
import { TimelineTable } from '../../pictures/TimelineTable.tsx';
import { joinSnapshots, momentOf, type SnapshotTick } from '../../pictures/timeline-moment.ts';
import { holds, lengthOf, type Span, spanAround } from '../../pictures/timeline-span.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty } from '../../ui/States.tsx';
import type { Places } from './places.ts';
import { TimelineLegend } from './TimelineLegend.tsx';
import { UnderPlayhead } from './UnderPlayhead.tsx';
import { usePlace } from './use-place.ts';

interface MachineProps {
  readonly timeline: TimelineData;
  readonly overview: TimelineData | undefined;
  /** The values in the address, and the times that they mean. */
  readonly sent: { readonly at: number | undefined; readonly with: number | undefined };
  readonly times: { readonly at: number | undefined; readonly with: number | undefined };
  /** The number of the newest snapshot. */
  readonly latest: number;
  /** Whether services are filtered by name. */
  readonly isFiltered: boolean;
  readonly now: number;
  readonly change: (changes: Places) => void;
  readonly onSpan: (span: Span) => void;
}

/** The picture, the moment under its playhead, and the overview strip. */
export function TimeMachine({
  timeline,
  overview,
  sent,
  times,
  latest,
  isFiltered,
  now,
  change,
  onSpan,
}: MachineProps) {
  const org = useOrg();
  const snapshots = useMemo(() => joinSnapshots(overview?.snapshots ?? [], timeline.snapshots), [overview, timeline]);
  const timeOf = (place: 'at' | 'with') => times[place] ?? snapshots.find(({ index }) => index === sent[place])?.at;
  const storeAt = useCallback((to: number) => change({ at: to }), [change]);
  const storeWith = useCallback((to: number) => change({ with: to }), [change]);
  const [at = timeline.to, move] = usePlace(timeOf('at'), sent.at, storeAt);
  const [second, moveSecond] = usePlace(timeOf('with'), sent.with, storeWith);
  // The playhead moves at once; what is shown for it follows as fast as it can.
  const shownAt = useDeferredValue(at);
  const moment = useMemo(() => momentOf(timeline, snapshots, shownAt), [timeline, snapshots, shownAt]);
  const goTo = useCallback(
    ({ index, at: time }: SnapshotTick) => {
      move(time, false);
      const isShown = holds(timeline, time);
      const span = spanAround(time, lengthOf(timeline), now);
      change({ at: index, ...(!isShown && { from: span.from, to: span.to }) });
    },
    [change, move, timeline, now],
  );
  return (
    <Panel>
      <UnderPlayhead
        timeline={timeline}
        snapshots={snapshots}
        moment={moment}
        at={shownAt}
        second={second}
        latest={latest}
        isFiltered={isFiltered}
        change={change}
        onSnapshot={goTo}
      />
      <div className="mt-3 border-t border-line pt-2">
        {timeline.lanes.length === 0 && (
          <Empty title={isFiltered ? 'No services match this filter' : 'Nothing ran in this period'} />
        )}
        <Timeline
          org={org}
          timeline={timeline}
          at={at}
          second={second}
          onMove={move}
          onMoveSecond={moveSecond}
          onSnapshot={goTo}
        />
      </div>
      {overview && (
        <div className="mt-3">
          <TimelineOverview of={overview} shown={timeline} onShow={onSpan} />
        </div>
      )}
      <div className="mt-3 space-y-3 border-t border-line pt-3">
        <TimelineLegend />
        {timeline.truncated && <LeftOut runsFrom={timeline.runs_from} to={timeline.to} onSpan={onSpan} />}
        {timeline.snapshot_count > timeline.snapshots.length && (
          <p className="text-[13px] text-quiet">
            {`${timeline.snapshots.length.toLocaleString('en')} of ${timeline.snapshot_count.toLocaleString('en')} snapshots are marked. Zoom in to see each.`}
          </p>
        )}
        <TimelineTable org={org} timeline={timeline} />
      </div>
    </Panel>
  );
}

function LeftOut({
  runsFrom,
  to,
  onSpan,
}: {
  readonly runsFrom: number | null;
  readonly to: number;
  readonly onSpan: (span: Span) => void;
}) {
  const { zone } = usePreferences();
  if (runsFrom === null)
    return <p className="text-[13px] text-unsure">There is too much to draw. Zoom in to see everything.</p>;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
      <p className="text-unsure">{`Not everything before ${shortTime(runsFrom, zone)} is shown. Zoom in.`}</p>
      {runsFrom < to && (
        <Button variant="quiet" className="no-print" onPress={() => onSpan({ from: Math.ceil(runsFrom), to })}>
          Show only the complete period
        </Button>
      )}
    </div>
  );
}
