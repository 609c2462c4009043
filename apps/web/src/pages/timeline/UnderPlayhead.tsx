import type { Timeline } from '@waymark/contract';
import { memo } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { expressionOf, type Moment, momentOf, type SnapshotTick, stepFrom } from '../../pictures/timeline-moment.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { MomentHead } from './MomentHead.tsx';
import type { Places } from './places.ts';

interface UnderProps {
  readonly timeline: Timeline;
  readonly snapshots: readonly SnapshotTick[];
  readonly moment: Moment;
  readonly at: number;
  readonly second: number | undefined;
  /** The number of the newest snapshot. */
  readonly latest: number;
  /** Whether services are filtered by name. */
  readonly isFiltered: boolean;
  readonly change: (changes: Places) => void;
  readonly onSnapshot: (snapshot: SnapshotTick) => void;
}

/** The moment under the playhead, with steps to the adjacent snapshots and the comparison. */
export const UnderPlayhead = memo(function UnderPlayhead(props: UnderProps) {
  const { timeline, snapshots, moment, at, second, latest, isFiltered, change, onSnapshot } = props;
  const targetOf = (by: 1 | -1): number | undefined => {
    const index = moment.index === undefined ? stepFrom(snapshots, at, by)?.index : moment.index + by;
    return index !== undefined && index >= 1 && index <= latest ? index : undefined;
  };
  const goTo = (index: number) => {
    const known = snapshots.find((snapshot) => snapshot.index === index);
    // For a snapshot without a mark in the picture the page requests its time, and shows the period around it.
    if (known) onSnapshot(known);
    else change({ at: index, from: undefined, to: undefined });
  };
  const before = targetOf(-1);
  const next = targetOf(1);
  return (
    <MomentHead
      moment={moment}
      at={at}
      isWhole={!isFiltered && timeline.total_lanes <= timeline.lanes.length && !timeline.truncated}
      onBefore={before === undefined ? undefined : () => goTo(before)}
      onNext={next === undefined ? undefined : () => goTo(next)}
      actions={
        second === undefined ? (
          <Button onPress={() => change({ with: Math.floor(at) })}>Compare from here</Button>
        ) : (
          <Compare
            ends={[
              { at, expression: expressionOf(moment, at) },
              { at: second, expression: expressionOf(momentOf(timeline, snapshots, second), second) },
            ]}
            onStop={() => change({ with: undefined })}
          />
        )
      }
    />
  );
});

interface End {
  readonly at: number;
  readonly expression: string;
}

function Compare({ ends, onStop }: { readonly ends: readonly [End, End]; readonly onStop: () => void }) {
  const org = useOrg();
  const env = useParam('env');
  const [one, other] = ends;
  const [before, after] = one.at <= other.at ? [one, other] : [other, one];
  return (
    <>
      {before.expression === after.expression ? (
        <span className="text-[13px] text-quiet">Both are in the same snapshot: move the playhead.</span>
      ) : (
        <LinkButton href={paths.compare(org, env, before.expression, after.expression)} variant="primary">
          {`Compare ${nameOf(before)} with ${nameOf(after)}`}
        </LinkButton>
      )}
      <Button variant="quiet" onPress={onStop}>
        Stop comparing
      </Button>
    </>
  );
}

function nameOf({ expression }: End): string {
  return expression.startsWith('@') ? 'this time' : `#${expression}`;
}
