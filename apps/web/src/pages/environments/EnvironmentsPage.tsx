import type { UseQueryResult } from '@tanstack/react-query';
import {
  type ComplianceDays,
  type Environment,
  environmentTypes,
  getEnvironment,
  listComplianceDays,
  listEnvironments,
} from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { prefetch, useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { type Column, DataTable, type Sort } from '../../ui/DataTable.tsx';
import { SearchBox, Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { NoRows, Pager } from '../../ui/Pager.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { Empty, Failure, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { CreateEnvironmentButton } from './CreateEnvironment.tsx';
import { DayStrip } from './DayStrip.tsx';
import { DayStripTwin } from './DayStripTwin.tsx';
import { EnvironmentState } from './EnvironmentState.tsx';
import { environmentPageOf } from './environment-page-of.ts';
import { TYPE_WORDS } from './type-words.ts';

const Search = z.object({
  q: z.string().optional(),
  type: z.enum(environmentTypes).optional(),
  tag: z.string().optional(),
  sort: z.enum(['name', 'last_changed_at', 'last_modified_at']).default('name'),
  direction: z.enum(['asc', 'desc']).default('asc'),
  page: z.coerce.number().int().min(1).default(1),
});

const PER_PAGE = 50;
const STRIP_DAYS = 14;

export function EnvironmentsPage() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const environments = useRead(listEnvironments, {
    params: { org },
    query: {
      page: search.page,
      per_page: PER_PAGE,
      name: search.q,
      type: search.type,
      tag: search.tag,
      sort: search.sort,
      sort_direction: search.direction,
    },
  });
  const shown = environments.data ? environmentPageOf(environments.data).environments : [];
  const names = shown.filter(({ type }) => type !== 'logical').map(({ name }) => name);
  const days = useRead(
    listComplianceDays,
    { params: { org }, query: { days: STRIP_DAYS, environment: names } },
    { enabled: names.length > 0 },
  );
  const goTo = (page: number) => change({ page });
  return (
    <>
      <PageHead
        title="Environments"
        note="Running artifacts and their compliance, by environment."
        actions={<CreateEnvironmentButton />}
      />
      <NewNotice
        kinds={['environment']}
        loadedAt={environments.dataUpdatedAt}
        onShow={() => void environments.refetch()}
      />
      <div className="mb-3 flex flex-wrap gap-2 no-print">
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
          onChange={(type) => change({ type: (type || undefined) as typeof search.type, page: undefined })}
          choices={[{ id: '', label: 'All types' }, ...environmentTypes.map((id) => ({ id, label: TYPE_WORDS[id] }))]}
        />
        {search.tag !== undefined && (
          <button type="button" className="cursor-pointer" onClick={() => change({ tag: undefined })}>
            <Tag>tag {search.tag} ×</Tag>
          </button>
        )}
      </div>
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
                  columns={columnsOf(org, days)}
                  rows={rows}
                  rowKey={({ id }) => id}
                  sort={{ by: search.sort, direction: search.direction }}
                  onSort={({ by, direction }: Sort) =>
                    change({ sort: by as typeof search.sort, direction, page: undefined })
                  }
                  empty={
                    <NoRows total={total_count} pages={total_pages} onPage={goTo}>
                      <NoEnvironments org={org} filtered={Boolean(search.q || search.type || search.tag)} />
                    </NoRows>
                  }
                />
                <Pager page={search.page} pages={total_pages} total={total_count} what="environments" onPage={goTo} />
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

function NoEnvironments({ org, filtered }: { readonly org: string; readonly filtered: boolean }) {
  if (filtered) return <Empty title="No environments match these filters">Remove a filter to see more.</Empty>;
  return (
    <Empty
      title="No environments yet"
      command={`waymark env create production --type K8S --org ${org}\nwaymark snapshot k8s production --org ${org}`}
    >
      An environment is where your software runs. Create one, then report what runs there:
    </Empty>
  );
}
