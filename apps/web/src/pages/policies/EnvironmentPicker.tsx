import { listEnvironments, physicalTypes } from '@waymark/contract';
import { useState } from 'react';
import { useRead } from '../../lib/queries.ts';
import { Checkbox, SearchBox } from '../../ui/Fields.tsx';
import { Tag } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';

const SHOWN = 10;

/** Selects environments, found by name, a few at a time. Logical ones have no verdicts of their own. */
export function EnvironmentPicker({
  org,
  chosen,
  onChange,
  leaveOut = [],
  label = 'Environments',
}: {
  readonly org: string;
  readonly chosen: readonly string[];
  readonly onChange: (names: string[]) => void;
  /** Shown, but not offered. */
  readonly leaveOut?: readonly string[];
  readonly label?: string;
}) {
  const [name, setName] = useState('');
  const found = useRead(listEnvironments, {
    params: { org },
    query: { page: 1, per_page: SHOWN, type: physicalTypes, ...(name !== '' && { name }), sort: 'name' },
  });
  const set = (environment: string, on: boolean) =>
    onChange(on ? [...chosen, environment] : chosen.filter((each) => each !== environment));
  return (
    <fieldset className="mt-3 rounded-md border border-line p-3">
      <legend className="px-1 text-[13px] font-medium">{label}</legend>
      <SearchBox label="Filter by name" value={name} onChange={setName} />
      <Loaded of={found} lines={3}>
        {(answer) => {
          const environments = Array.isArray(answer) ? answer : answer.environments;
          return (
            <div className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
              {environments.map((each) => (
                <Checkbox
                  key={each.id}
                  isSelected={chosen.includes(each.name) || leaveOut.includes(each.name)}
                  isDisabled={leaveOut.includes(each.name)}
                  onChange={(on) => set(each.name, on)}
                >
                  {leaveOut.includes(each.name) ? `${each.name} (attached)` : each.name}
                </Checkbox>
              ))}
              {environments.length === 0 && <p className="text-quiet">No environments match.</p>}
            </div>
          );
        }}
      </Loaded>
      {chosen.length > 0 && (
        <p className="mt-2 flex flex-wrap items-center gap-1 text-[13px] text-quiet">
          {chosen.length} chosen:
          {chosen.map((each) => (
            <Tag key={each}>{each}</Tag>
          ))}
        </p>
      )}
    </fieldset>
  );
}
