import { getMatrix } from '@waymark/contract';
import { X } from 'lucide-react';
import { z } from 'zod';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, SearchBox } from '../../ui/Fields.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { NoRows, Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { EnvironmentBox } from '../environments/EnvironmentBox.tsx';
import { MatrixTable } from './MatrixTable.tsx';

const Search = z.object({
  q: z.string().optional(),
  environment: z.union([z.string(), z.array(z.string())]).optional(),
  only: z.enum(['drift']).optional(),
  page: z.coerce.number().int().min(1).default(1),
});

const PER_PAGE = 50;
const ENVIRONMENTS_MAX = 20;

export function MatrixPage() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const matrix = useRead(getMatrix, {
    params: { org },
    query: {
      page: search.page,
      per_page: PER_PAGE,
      name: search.q,
      environment: search.environment,
      only: search.only,
    },
  });
  const pages = Math.ceil((matrix.data?.total_count ?? 0) / PER_PAGE);
  const goTo = (page: number) => change({ page });
  return (
    <>
      <PageHead title="Matrix" note="Service versions by environment." />
      <NewNotice kinds={['environment']} loadedAt={matrix.dataUpdatedAt} onShow={() => void matrix.refetch()} />
      <div className="mb-3 flex flex-wrap items-end gap-x-3 gap-y-2 no-print">
        <SearchBox
          label="Filter by service"
          value={search.q ?? ''}
          onChange={(q) => change({ q: q || undefined, page: undefined }, { replace: true })}
        />
        <div className="pb-2">
          <Checkbox
            isSelected={search.only === 'drift'}
            onChange={(on) => change({ only: on ? 'drift' : undefined, page: undefined })}
          >
            Drifting services only
          </Checkbox>
        </div>
        <ShownEnvironments
          chosen={[search.environment ?? []].flat()}
          shown={matrix.data?.environments.map(({ name }) => name) ?? []}
          onChange={(environment) => change({ environment, page: undefined })}
        />
      </div>
      <Panel flush>
        <Loaded of={matrix}>
          {({ environments, services, total_count }) =>
            services.length === 0 ? (
              <NoRows total={total_count} pages={pages} onPage={goTo}>
                <NoServices org={org} q={search.q} only={search.only} />
              </NoRows>
            ) : (
              <>
                <MatrixTable environments={environments} services={services} />
                <Pager
                  page={search.page}
                  pages={pages}
                  total={total_count}
                  what={total_count === 1 ? 'service' : 'services'}
                  onPage={goTo}
                />
              </>
            )
          }
        </Loaded>
      </Panel>
      <p className="mt-3 max-w-3xl text-[13px] text-quiet">
        A service drifts when its environments run different artifacts. Each cell shows the artifact that started last,
        and is compared with the first environment that runs the service.
      </p>
    </>
  );
}

/** The environments of the columns, in order; by default the first by name. */
function ShownEnvironments({
  chosen,
  shown,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly shown: readonly string[];
  readonly onChange: (environment: string[] | undefined) => void;
}) {
  const current = chosen.length > 0 ? chosen : shown;
  const set = (names: readonly string[]) => onChange(names.length === 0 ? undefined : [...names]);
  return (
    <div className="flex flex-wrap items-end gap-2">
      {chosen.length < ENVIRONMENTS_MAX && (
        <EnvironmentBox
          // Empty again for the next one.
          key={chosen.join(' ')}
          label={chosen.length === 0 ? 'Environment' : 'Another environment'}
          placeholder="Choose an environment"
          onPick={(name) => set([...chosen.filter((other) => other !== name), name])}
        />
      )}
      {chosen.length > 0 && (
        <ul className="flex flex-wrap gap-1 pb-0.5" aria-label="Shown environments">
          {current.map((name) => (
            <li key={name}>
              <Button
                variant="plain"
                className="!px-2 !py-1"
                aria-label={`Hide ${name}`}
                onPress={() => set(chosen.filter((other) => other !== name))}
              >
                {name}
                <X size={12} aria-hidden />
              </Button>
            </li>
          ))}
          <li>
            <Button variant="quiet" className="!py-1" onPress={() => set([])}>
              Show all
            </Button>
          </li>
        </ul>
      )}
    </div>
  );
}

function NoServices({
  org,
  q,
  only,
}: {
  readonly org: string;
  readonly q: string | undefined;
  readonly only: 'drift' | undefined;
}) {
  // With a name filter, nothing is known about the other services.
  if (q) return <Empty title="No services match these filters">Remove a filter to see more.</Empty>;
  if (only === 'drift')
    return <Empty title="No drift">Each service is the same artifact in all of these environments.</Empty>;
  return (
    <Empty title="No services yet" command={`waymark snapshot k8s production --org ${org}`}>
      Services appear after the first report from an environment:
    </Empty>
  );
}
