import { Button } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Fields.tsx';
import { RangePicker } from '../../../ui/RangePicker.tsx';
import { ActorBox } from './ActorBox.tsx';
import { type ActivitySearch, isFiltered, SUBJECTS } from './activity-search.ts';

interface FiltersProps {
  readonly search: ActivitySearch;
  readonly change: (changes: Partial<ActivitySearch>) => void;
}

const CHOICES = [
  { id: '', label: 'All subjects' },
  ...Object.entries(SUBJECTS).map(([id, { label }]) => ({ id, label })),
];

export function ActivityFilters({ search, change }: FiltersProps) {
  const { actor, type, from, to } = search;
  const choices = type === undefined || type in SUBJECTS ? CHOICES : [...CHOICES, { id: type, label: `Only ${type}` }];
  return (
    <div className="mb-3 flex flex-wrap items-end gap-2 no-print">
      <ActorBox value={actor} onPick={(name) => change({ actor: name, after: undefined })} />
      <Select
        label="Subject"
        className="w-64"
        value={type ?? ''}
        onChange={(id) => change({ type: id || undefined, after: undefined })}
        choices={choices}
      />
      <RangePicker from={from} to={to} unset="Any time" onChange={(range) => change({ ...range, after: undefined })} />
      {isFiltered(search) && (
        <Button
          variant="quiet"
          onPress={() =>
            change({ actor: undefined, type: undefined, from: undefined, to: undefined, after: undefined })
          }
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}
