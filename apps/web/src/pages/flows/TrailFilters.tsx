import { Button } from '../../ui/Button.tsx';
import { DayInput } from '../../ui/DayInput.tsx';
import { SearchBox } from '../../ui/Fields.tsx';
import { type ChangeTrails, hasFilters, NO_FILTERS, type TrailSearch } from './trail-search.ts';

export function TrailFilters({ search, change }: { readonly search: TrailSearch; readonly change: ChangeTrails }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 no-print">
      <div className="w-72 max-w-full">
        <SearchBox
          label="Filter by commit or fingerprint"
          value={search.digits}
          onChange={(digits) => change({ digits, page: undefined }, { replace: true })}
        />
      </div>
      <SearchBox
        label="Filter by branch"
        value={search.branch ?? ''}
        onChange={(branch) => change({ branch: branch.trim() || undefined, page: undefined }, { replace: true })}
      />
      <DayInput label="From" value={search.from} onChange={(from) => change({ from, page: undefined })} />
      <DayInput label="To" value={search.to} onChange={(to) => change({ to, page: undefined })} />
      {hasFilters(search) && (
        <Button variant="quiet" onPress={() => change(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}
