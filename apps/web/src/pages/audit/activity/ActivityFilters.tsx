import { Button } from '../../../ui/Button.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { SearchBox, Select } from '../../../ui/Fields.tsx';
import { type ActivitySearch, isFiltered, SUBJECTS } from './activity-search.ts';

interface FiltersProps {
  readonly search: ActivitySearch;
  readonly change: (changes: Partial<ActivitySearch>, options?: { readonly replace?: boolean }) => void;
}

const CHOICES = [
  { id: '', label: 'All subjects' },
  ...Object.entries(SUBJECTS).map(([id, { label }]) => ({ id, label })),
];

export function ActivityFilters({ search, change }: FiltersProps) {
  const { type } = search;
  const choices = type === undefined || type in SUBJECTS ? CHOICES : [...CHOICES, { id: type, label: `Only ${type}` }];
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 no-print">
      <SearchBox
        label="Actor (exact match)"
        value={search.actor ?? ''}
        onChange={(actor) => change({ actor, after: undefined }, { replace: true })}
      />
      <Select
        label="Subject"
        hideLabel
        className="w-64"
        value={type ?? ''}
        onChange={(id) => change({ type: id || undefined, after: undefined })}
        choices={choices}
      />
      <DayInput label="From" value={search.from} onChange={(from) => change({ from, after: undefined })} />
      <DayInput label="To" value={search.to} onChange={(to) => change({ to, after: undefined })} />
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
