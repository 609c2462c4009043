import type { listSnapshotArtifacts } from '@waymark/contract';
import type { z } from 'zod';
import { StateBar } from '../../pictures/StateBar.tsx';
import { NoRows, Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty } from '../../ui/States.tsx';
import { ArtifactFilters, type ArtifactSearch, type ChangeArtifactSearch, isNarrowed } from './ArtifactFilters.tsx';
import { ArtifactTable } from './ArtifactTable.tsx';
import type { Where } from './ArtifactVerdict.tsx';
import { PolicyChips } from './PolicyChips.tsx';

type ArtifactPage = z.output<(typeof listSnapshotArtifacts)['reply']>;

const ARTIFACTS_PER_PAGE = 50;

export function artifactQuery({ q, compliance, flow, sort, direction, page }: ArtifactSearch) {
  return {
    page,
    per_page: ARTIFACTS_PER_PAGE,
    ...(q && { name: q }),
    ...(compliance && { compliance }),
    ...(flow !== undefined && { flow }),
    sort,
    ...(direction && { sort_direction: direction }),
  };
}

/** A page of running artifacts, with the overall verdict above it. */
export function ArtifactPanel({
  of,
  where,
  search,
  onChange,
  title,
}: {
  readonly of: ArtifactPage;
  readonly where: Where;
  readonly search: ArtifactSearch;
  readonly onChange: ChangeArtifactSearch;
  readonly title: string;
}) {
  const { snapshot, counts, total_count, artifacts } = of;
  const pages = Math.ceil(total_count / ARTIFACTS_PER_PAGE);
  const goTo = (page: number) => onChange({ page });
  const running = counts.compliant + counts['non-compliant'] + counts.unknown + counts.waived;
  return (
    <div className="space-y-4">
      <Panel title={title} note={summaryOf(running, counts['non-compliant'], where.isStale)}>
        <div className="space-y-3">
          {running > 0 && (
            <StateBar
              counts={counts}
              chosen={search.compliance}
              onChoose={(compliance) => onChange({ compliance, page: undefined })}
              isDoubtful={where.isStale}
            />
          )}
          <PolicyChips policies={snapshot.applied_policies} isStale={where.isStale} />
        </div>
      </Panel>
      <ArtifactFilters search={search} onChange={onChange} />
      <Panel flush>
        <ArtifactTable
          artifacts={artifacts}
          where={where}
          sort={{ by: search.sort, direction: search.direction ?? (search.sort === 'started_at' ? 'desc' : 'asc') }}
          onSort={({ by, direction }) => onChange({ sort: by as typeof search.sort, direction, page: undefined })}
          empty={
            <NoRows total={total_count} pages={pages} onPage={goTo}>
              <NothingRan narrowed={isNarrowed(search)} />
            </NoRows>
          }
        />
        <Pager
          page={search.page}
          pages={pages}
          total={total_count}
          what={whatIsCounted(total_count, isNarrowed(search) ? 0 : counts.exited)}
          onPage={goTo}
        />
      </Panel>
    </div>
  );
}

function summaryOf(running: number, failing: number, isStale: boolean): string {
  if (running === 0) return 'Nothing ran.';
  const all = running.toLocaleString('en');
  if (isStale && failing === 0) return `${all} ${running === 1 ? 'artifact' : 'artifacts'}`;
  return failing === 0
    ? `${all} ${running === 1 ? 'artifact' : 'artifacts'}, none non-compliant`
    : `${failing.toLocaleString('en')} of ${all} non-compliant`;
}

function whatIsCounted(total: number, exited: number): string {
  const artifacts = total === 1 ? 'artifact' : 'artifacts';
  return exited === 0 ? artifacts : `${artifacts}, ${exited.toLocaleString('en')} of which exited in this snapshot`;
}

function NothingRan({ narrowed }: { readonly narrowed: boolean }) {
  if (narrowed) return <Empty title="No artifacts match these filters">Remove a filter to see more.</Empty>;
  return <Empty title="Nothing ran">The report contains no artifacts.</Empty>;
}
