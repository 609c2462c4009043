import { dayOfSeconds } from '../../lib/day.ts';
import { Button } from '../../ui/Button.tsx';
import { EnvironmentBox } from '../environments/EnvironmentBox.tsx';
import { FlowBox } from '../flows/FlowBox.tsx';
import { DateBox } from './DateBox.tsx';
import type { Window } from './window.ts';

interface Changes {
  readonly env?: string | undefined;
  readonly flow?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface FiltersProps extends Pick<Changes, 'env' | 'flow'> {
  readonly window: Window;
  readonly onChange: (changes: Changes) => void;
}

const DAY = 86_400;
const PRESETS = [7, 30, 90];

/** An environment or a flow: the server filters by one of them. */
export function DeploymentFilters({ env, flow, window, onChange }: FiltersProps) {
  const last = window.to - DAY;
  return (
    <div className="mb-4 flex flex-wrap items-end gap-x-3 gap-y-2 no-print">
      <EnvironmentBox
        label="Environment"
        placeholder="All environments"
        physical={false}
        value={env}
        onPick={(name) => onChange({ env: name, flow: undefined })}
      />
      {env === undefined ? <FlowBox value={flow} onPick={(name) => onChange({ flow: name })} /> : null}
      {(env !== undefined || flow !== undefined) && (
        <Button variant="quiet" onPress={() => onChange({ env: undefined, flow: undefined })}>
          Clear filters
        </Button>
      )}
      <DateBox
        label="From"
        name="from"
        value={dayOfSeconds(window.from)}
        onPick={(from) => onChange({ from: from || undefined })}
      />
      <DateBox
        label="To (inclusive)"
        name="to"
        value={dayOfSeconds(last)}
        onPick={(to) => onChange({ to: to || undefined })}
      />
      <div className="flex gap-1">
        {PRESETS.map((days) => (
          <Button
            key={days}
            variant="quiet"
            className="!px-2"
            onPress={() => onChange({ from: dayOfSeconds(Date.now() / 1000 - (days - 1) * DAY), to: undefined })}
          >
            {days} days
          </Button>
        ))}
      </div>
    </div>
  );
}
