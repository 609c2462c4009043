import type { ReplyOf } from '@waymark/client';
import { type Control, type EnvironmentType, getControlCoverage } from '@waymark/contract';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useSearchState } from '../../lib/route.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { SearchBox, Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { TYPE_WORDS } from '../environments/type-words.ts';

const Search = z.object({
  q: z.string().optional(),
  covered: z.enum(['true', 'false']).optional(),
  page: z.coerce.number().int().min(1).default(1),
});
const PER_PAGE = 50;

type Coverage = ReplyOf<typeof getControlCoverage>;
type Row = Coverage['environments'][number];

/** Where the control is required, and by which policies. */
export function ControlCoverage({ org, control }: { readonly org: string; readonly control: Control }) {
  const [search, change] = useSearchState(Search);
  const coverage = useRead(getControlCoverage, {
    params: { org, identifier: control.identifier },
    query: { page: search.page, per_page: PER_PAGE, search: search.q, covered: search.covered },
  });
  return (
    <>
      <NewNotice
        kinds={['policy', 'environment']}
        loadedAt={coverage.dataUpdatedAt}
        onShow={() => void coverage.refetch()}
      />
      <div className="mb-3 flex flex-wrap gap-2 no-print">
        <SearchBox
          label="Filter by name"
          value={search.q ?? ''}
          onChange={(q) => change({ q, page: undefined }, { replace: true })}
        />
        <Select
          label="Required"
          hideLabel
          className="w-48"
          value={search.covered ?? ''}
          onChange={(id) => change({ covered: (id || undefined) as typeof search.covered, page: undefined })}
          choices={[
            { id: '', label: 'All environments' },
            { id: 'true', label: 'Required' },
            { id: 'false', label: 'Not required' },
          ]}
        />
      </div>
      <Panel title="Coverage" flush>
        <Loaded of={coverage}>
          {(found) => (
            <>
              <Share coverage={found} />
              <DataTable
                caption={`Environments and whether they require ${control.identifier}`}
                columns={columnsOf(org)}
                rows={found.environments}
                rowKey={({ name }) => name}
                empty={
                  <Empty
                    title={search.q || search.covered ? 'No environments match these filters' : 'No environments yet'}
                  >
                    An environment requires a control when a policy attached to it has a rule for it.
                  </Empty>
                }
              />
              <Pager
                page={search.page}
                pages={found.total_pages}
                total={found.total_count}
                what={found.total_count === 1 ? 'environment' : 'environments'}
                onPage={(page) => change({ page })}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function Share({ coverage: { covered, total, coverage_percent: percent } }: { readonly coverage: Coverage }) {
  return (
    <div className="border-t border-line px-4 py-3">
      <p>
        Required in <strong>{covered.toLocaleString('en')}</strong> of {total.toLocaleString('en')} environments (
        {percent.toLocaleString('en')}%)
      </p>
      <div aria-hidden className="mt-1.5 flex h-2.5 max-w-xl overflow-hidden rounded border border-line">
        <div className="bg-data" style={{ width: `${percent}%` }} />
        <div className="hatch flex-1" />
      </div>
    </div>
  );
}

function columnsOf(org: string): readonly Column<Row>[] {
  return [
    {
      key: 'name',
      title: 'Environment',
      wide: true,
      cell: ({ name }) => (
        <Link href={paths.environment(org, name)} className="font-medium">
          {name}
        </Link>
      ),
    },
    { key: 'type', title: 'Type', secondary: true, cell: ({ type }) => TYPE_WORDS[type as EnvironmentType] ?? type },
    { key: 'covered', title: 'Required', cell: ({ covered }) => <Required is={covered} /> },
    { key: 'passing', title: 'Evidence', cell: (row) => evidenceOf(row) },
    {
      key: 'policies',
      title: 'Policies',
      cell: ({ name, policies }) =>
        policies.length === 0 ? (
          <Link href={paths.environmentPolicies(org, name)} className="whitespace-nowrap">
            Attach policy
          </Link>
        ) : (
          <span className="flex flex-wrap gap-x-2 whitespace-nowrap sm:min-w-44">
            {policies.map((policy) => (
              <Link key={policy} href={paths.policy(org, policy)}>
                {policy}
              </Link>
            ))}
          </span>
        ),
    },
  ];
}

function evidenceOf({ covered, passing, artifacts, failing_artifacts: failing }: Row): string {
  if (!covered) return '';
  if (passing === null) return 'Not evaluated yet';
  return passing ? `${artifacts} passing` : `${failing} of ${artifacts} failing`;
}

function Required({ is }: { readonly is: boolean }) {
  const Icon = is ? CircleCheck : CircleDashed;
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <Icon size={14} aria-hidden className={is ? 'text-ink' : 'text-quiet'} />
      {is ? 'Required' : 'Not required'}
    </span>
  );
}
