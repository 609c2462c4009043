import { z } from 'zod';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, SearchBox } from '../../ui/Fields.tsx';
import { FlowBox } from '../flows/FlowBox.tsx';

/** The API's name for artifacts without a flow. */
const NO_PROVENANCE = 'no provenance';

/** The filters of a snapshot, as in the address of the page. */
export const ArtifactSearch = z.object({
  q: z.string().optional(),
  compliance: z.enum(['compliant', 'non-compliant', 'unknown', 'waived']).optional(),
  flow: z.string().optional(),
  sort: z.enum(['compliance', 'name', 'started_at', 'flow']).default('compliance'),
  direction: z.enum(['asc', 'desc']).optional(),
  page: z.coerce.number().int().min(1).default(1),
});
export type ArtifactSearch = z.output<typeof ArtifactSearch>;
export type ChangeArtifactSearch = (
  changes: Partial<z.input<typeof ArtifactSearch>>,
  how?: { replace?: boolean },
) => void;

export function isNarrowed({ q, compliance, flow }: ArtifactSearch): boolean {
  return Boolean(q) || compliance !== undefined || flow !== undefined;
}

export function ArtifactFilters({
  search,
  onChange,
}: {
  readonly search: ArtifactSearch;
  readonly onChange: ChangeArtifactSearch;
}) {
  const { q, flow } = search;
  const isWithout = flow === NO_PROVENANCE;
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2 no-print">
      <SearchBox
        label="Filter by name"
        value={q ?? ''}
        onChange={(next) => onChange({ q: next || undefined, page: undefined }, { replace: true })}
      />
      {!isWithout && <FlowBox value={flow} onPick={(name) => onChange({ flow: name, page: undefined })} />}
      <div className="flex min-h-9 items-center gap-3">
        <Checkbox
          isSelected={isWithout}
          onChange={(on) => onChange({ flow: on ? NO_PROVENANCE : undefined, page: undefined })}
        >
          Without provenance
        </Checkbox>
        {isNarrowed(search) && (
          <Button
            variant="quiet"
            onPress={() => onChange({ q: undefined, compliance: undefined, flow: undefined, page: undefined })}
          >
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}
