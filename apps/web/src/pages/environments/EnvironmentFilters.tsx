import { Clock } from 'lucide-react';
import type { z } from 'zod';
import { Button } from '../../ui/Button.tsx';
import { SearchBox, Select } from '../../ui/Fields.tsx';
import { FilterChips } from '../../ui/FilterChips.tsx';
import { STATE_WORDS, StateIcon } from '../../ui/StateBadge.tsx';
import { TagFilter } from '../../ui/TagFilter.tsx';
import {
  type EnvironmentSearch,
  isFiltered,
  NO_FILTERS,
  type StateFilter,
  TYPE_CHOICES,
} from './environment-filters.ts';

const VERDICTS = ['non-compliant', 'unknown', 'compliant'] as const;
const STATES: readonly { readonly id: StateFilter; readonly label: string; readonly icon: React.ReactNode }[] = [
  ...VERDICTS.map((id) => ({ id, label: STATE_WORDS[id], icon: <StateIcon state={id} size={14} /> })),
  { id: 'stale', label: 'Stale', icon: <Clock size={14} aria-hidden className="text-quiet" /> },
];

export function EnvironmentFilters({
  search,
  change,
}: {
  readonly search: EnvironmentSearch;
  readonly change: (changes: Partial<z.input<typeof EnvironmentSearch>>, how?: { readonly replace: boolean }) => void;
}) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 no-print">
      <SearchBox
        label="Filter by name"
        value={search.q ?? ''}
        onChange={(q) => change({ q, page: undefined }, { replace: true })}
      />
      <Select
        label="Type"
        hideLabel
        className="w-44"
        value={search.type ?? ''}
        onChange={(type) => change({ type: (type || undefined) as EnvironmentSearch['type'], page: undefined })}
        choices={[{ id: '', label: 'All types' }, ...TYPE_CHOICES]}
      />
      <FilterChips
        label="State"
        chips={STATES}
        chosen={search.state}
        onChoose={(state) => change({ state, page: undefined })}
      />
      <TagFilter value={search.tag} onChange={(tag) => change({ tag, page: undefined })} />
      {isFiltered(search) && (
        <Button variant="quiet" onPress={() => change(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}
