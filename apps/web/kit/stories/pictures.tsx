import { useState } from 'react';
import { DayStrip } from '../../src/pages/environments/DayStrip.tsx';
import { MatrixTable } from '../../src/pages/matrix/MatrixTable.tsx';
import { TimelineLegend } from '../../src/pages/timeline/TimelineLegend.tsx';
import { HeatMap } from '../../src/pictures/HeatMap.tsx';
import { Ring } from '../../src/pictures/MetroLine.tsx';
import { StateBar } from '../../src/pictures/StateBar.tsx';
import type { State } from '../../src/ui/StateBadge.tsx';
import { cell, DAYS, STATES } from '../given.ts';
import { ORG, type Story } from '../story.ts';

const COUNTS = { 'non-compliant': 2, unknown: 3, waived: 1, compliant: 12 };
const STATIONS = ['commit', 'built', 'running', 'left', 'not yet'] as const;

const PLACES = [
  { name: 'red', type: 'K8S', stale: false, compliance: 'non-compliant' },
  { name: 'red-and-stale', type: 'K8S', stale: true, compliance: 'non-compliant' },
  { name: 'green', type: 'K8S', stale: false, compliance: 'compliant' },
  { name: 'stale', type: 'K8S', stale: true, compliance: 'unknown' },
] as const;

function Bar({ isDoubtful }: { readonly isDoubtful: boolean }) {
  const [chosen, setChosen] = useState<State>();
  return <StateBar counts={COUNTS} chosen={chosen} onChoose={setChosen} isDoubtful={isDoubtful} />;
}

export const pictureStories: readonly Story[] = [
  {
    of: 'StateBar',
    show: () => (
      <div className="space-y-4">
        <Bar isDoubtful={false} />
        <Bar isDoubtful />
      </div>
    ),
  },
  { of: 'HeatMap', show: () => <HeatMap days={DAYS} org={ORG} /> },
  {
    of: 'DayStrip',
    show: () => (
      <div className="space-y-2">
        {DAYS.environments.map(({ name, days }) => (
          <DayStrip key={name} days={days} starts={DAYS.days} />
        ))}
      </div>
    ),
  },
  { of: 'TimelineLegend', show: TimelineLegend },
  {
    of: 'MatrixTable',
    show: () => (
      <MatrixTable
        environments={[...PLACES]}
        services={[
          ...STATES.map((state) => ({
            service: `${state} everywhere`,
            flow_name: 'payments',
            cells: PLACES.map(() => cell(state)),
            drift: false,
          })),
          {
            service: 'drift, and not running',
            flow_name: '',
            cells: [cell('compliant'), { ...cell('compliant'), fingerprint: 'f'.repeat(64) }, null, null],
            drift: true,
          },
        ]}
      />
    ),
  },
  {
    of: 'MetroLine',
    show: () => (
      <div className="flex flex-wrap gap-3">
        {STATIONS.map((kind) => (
          <Ring key={kind} kind={kind} />
        ))}
        {STATES.flatMap((state) =>
          (['running', 'left', 'not yet'] as const).map((kind) => (
            <Ring key={`${state} ${kind}`} kind={kind} state={state} />
          )),
        )}
      </div>
    ),
  },
];
