import type { UseQueryResult } from '@tanstack/react-query';
import {
  type ComplianceDays,
  type Environment,
  exportEnvironments,
  getEnvironment,
  listComplianceDays,
  listEnvironments,
} from '@waymark/contract';
import { useColumnChoice } from '../../lib/column-choice.ts';
import { paths } from '../../lib/paths.ts';
import { prefetch, useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { ColumnsMenu } from '../../ui/ColumnsMenu.tsx';
import { type Column, DataTable, type Sort } from '../../ui/DataTable.tsx';
import { ExportButtons } from '../../ui/ExportButtons.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { NoRows, Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Failure, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { CreateEnvironmentButton } from './CreateEnvironment.tsx';
import { DayStrip } from './DayStrip.tsx';
import { DayStripTwin } from './DayStripTwin.tsx';
import { EnvironmentFilters } from './EnvironmentFilters.tsx';
import { EnvironmentState } from './EnvironmentState.tsx';
import {
  EnvironmentSearch,
  environmentFilter,
  environmentQuery,
  isFiltered,
  NO_FILTERS,
} from './environment-filters.ts';
import { environmentPageOf } from './environment-page-of.ts';
import { TYPE_WORDS } from './type-words.ts';

const PER_PAGE = 50;
const STRIP_DAYS = 14;

export function EnvironmentsPage() {
  const org = useOrg();
  const [search, change] = useSearchState(EnvironmentSearch);
  const environments = useRead(listEnvironments, {
    params: { org },
    query: environmentQuery(search, PER_PAGE),
  });
  const shown = environments.data ? environmentPageOf(environments.data).environments : [];
  const names = shown.filter(({ type }) => type !== 'logical').map(({ name }) => name);
  const days = useRead(
    listComplianceDays,
    { params: { org }, query: { days: STRIP_DAYS, environment: names } },
    { enabled: names.length > 0 },
  );
  const goTo = (page: number) => change({ page });
  const choice = useColumnChoice(org, 'environments', columnsOf(org, days));
  return (
    <>
      <PageHead
        title="Environments"
        note="Running artifacts and their compliance, by environment."
        actions={
          <>
            <ColumnsMenu of={choice} />
            <ExportButtons
              of={exportEnvironments}
              input={{ params: { org }, query: environmentFilter(search) }}
              name={`environments-${org}`}
            />
            <CreateEnvironmentButton />
          </>
        }
      />
      <NewNotice
        kinds={['environment']}
        loadedAt={environments.dataUpdatedAt}
        onShow={() => void environments.refetch()}
      />
      <EnvironmentFilters search={search} change={change} />
      {days.error && (
        <div className="mb-3">
          <Failure error={days.error} retry={() => void days.refetch()} />
        </div>
      )}
      <Panel flush>
        <Loaded of={environments}>
          {(page) => {
            const { environments: rows, total_count, total_pages } = environmentPageOf(page);
            return (
              <>
                <DataTable
                  caption="Environments"
                  columns={choice.columns}
                  rows={rows}
                  rowKey={({ id }) => id}
                  sort={{ by: search.sort, direction: search.direction }}
                  onSort={({ by, direction }: Sort) =>
                    change({ sort: by as typeof search.sort, direction, page: undefined })
                  }
                  empty={
                    <NoRows total={total_count} pages={total_pages} onPage={goTo}>
                      <NoEnvironments org={org} filtered={isFiltered(search)} onClear={() => change(NO_FILTERS)} />
                    </NoRows>
                  }
                />
                <Pager
                  page={search.page}
                  pages={total_pages}
                  total={total_count}
                  what={total_count === 1 ? 'environment' : 'environments'}
                  onPage={goTo}
                />
              </>
            );
          }}
        </Loaded>
      </Panel>
      {days.data && <DayStripTwin of={days.data} />}
    </>
  );
}

type Days = Pick<UseQueryResult<ComplianceDays>, 'data' | 'error'>;

function columnsOf(org: string, days: Days): readonly Column<Environment>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      sort: 'name',
      wide: true,
      cell: ({ name, type, description }) => (
        <>
          <Link
            href={paths.environment(org, name)}
            className="font-medium"
            onIntent={() => prefetch(getEnvironment, { params: { org, env_name: name } })}
          >
            {name}
          </Link>
          <div className="line-clamp-1 text-quiet">
            {TYPE_WORDS[type]}
            {description !== '' && ` · ${description}`}
          </div>
        </>
      ),
    },
    { key: 'state', title: 'State', cell: (environment) => <VerdictOf environment={environment} org={org} /> },
    {
      key: 'days',
      title: `Last ${STRIP_DAYS} days`,
      cell: ({ name, type }) => <DaysOf name={name} isLogical={type === 'logical'} days={days} />,
    },
    {
      key: 'policies',
      title: 'Policies',
      align: 'right',
      secondary: true,
      cell: ({ policies }) => (policies.length === 0 ? <span className="text-quiet">none</span> : policies.length),
    },
    {
      key: 'changed',
      title: 'Last change',
      sort: 'last_changed_at',
      cell: ({ last_changed_at }) => <Time at={last_changed_at} none="never" />,
    },
    {
      key: 'reported',
      title: 'Last report',
      cell: ({ last_reported_at }) => <Time at={last_reported_at} none="never" />,
    },
  ];
}

function VerdictOf({ environment, org }: { readonly environment: Environment; readonly org: string }) {
  const { name, compliance, stale } = environment;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 sm:min-w-32">
      <EnvironmentState of={environment} />
      {(compliance === 'non-compliant' || stale) && (
        <Link href={paths.environmentWhy(org, name)} className="text-[12.5px]" aria-label={`Why ${name}?`}>
          Why?
        </Link>
      )}
    </span>
  );
}

function DaysOf({
  name,
  isLogical,
  days: { data, error },
}: {
  readonly name: string;
  readonly isLogical: boolean;
  readonly days: Days;
}) {
  if (isLogical) return <span className="text-quiet">see members</span>;
  const own = data?.environments.find((environment) => environment.name === name);
  if (own && data) return <DayStrip days={own.days} starts={data.days} />;
  return <div className="h-6 w-36 text-quiet">{error && 'not loaded'}</div>;
}

function NoEnvironments({
  org,
  filtered,
  onClear,
}: {
  readonly org: string;
  readonly filtered: boolean;
  readonly onClear: () => void;
}) {
  if (filtered)
    return (
      <Empty title="No environments match these filters">
        <Button className="mt-2" onPress={onClear}>
          Clear filters
        </Button>
      </Empty>
    );
  return (
    <Empty
      title="No environments yet"
      command={`waymark env create production --type K8S --org ${org}\nwaymark snapshot k8s production --org ${org}`}
    >
      An environment is where your software runs. Create one, then report what runs there:
    </Empty>
  );
}
