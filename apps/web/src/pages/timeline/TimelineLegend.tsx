import { memo, useId } from 'react';
import { FILLS, patternOf, StatePatterns, StateSign, WASHES } from '../../pictures/TimelineState.tsx';
import { STATE_WORDS, type State } from '../../ui/StateBadge.tsx';

const STATES: readonly State[] = ['compliant', 'non-compliant', 'waived', 'unknown'];

/** The legend of the picture. */
export const TimelineLegend = memo(function TimelineLegend() {
  const id = useId();
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1.5 text-[12.5px] text-quiet" aria-label="Legend">
      {STATES.map((state) => {
        const pattern = patternOf(`${id}-${state}`, state);
        return (
          <li key={state} className="flex items-center gap-1.5">
            <svg width="30" height="18" aria-hidden="true">
              <StatePatterns id={`${id}-${state}`} />
              <rect width="30" height="13" className={WASHES[state]} />
              <rect y="13" width="30" height="5" className={FILLS[state]} />
              {pattern !== undefined && <rect y="13" width="30" height="5" fill={pattern} />}
              <StateSign state={state} x={15} y={6.5} />
            </svg>
            {STATE_WORDS[state]}
          </li>
        );
      })}
      <li className="flex items-center gap-1.5">
        <span className="hatch inline-block h-4 w-7 border border-line" aria-hidden />
        No reports
      </li>
      <li>P: policy, W: waiver, E: environment. A number counts several changes.</li>
      <li className="max-sm:hidden print:hidden">
        Drag the playhead or use the arrow keys; <kbd>[</kbd> and <kbd>]</kbd> step through snapshots; Shift-click
        compares snapshots
      </li>
    </ul>
  );
});
