import { exportPolicies, type Policy } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { useMay, useWhyNot } from '../../lib/session.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ExportButtons } from '../../ui/ExportButtons.tsx';
import { Checkbox, SearchBox } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { CursorPager, Pager } from '../../ui/Pager.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { type PolicyList, usePolicies } from './policy-list.ts';

const Search = z.object({
  q: z.string().optional(),
  archived: z.literal('yes').optional(),
  after: z.string().optional(),
  page: z.coerce.number().int().min(1).default(1),
});
type Search = z.output<typeof Search>;

const PER_PAGE = 50;

export function PoliciesPage() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const policies = usePolicies(org, { archived: search.archived === 'yes', name: search.q, after: search.after });
  return (
    <>
      <PageHead
        title="Policies"
        note="Rules that running artifacts must satisfy."
        actions={
          <>
            <ExportButtons
              of={exportPolicies}
              input={{
                params: { org },
                query: { archived: search.archived === 'yes' ? 'true' : 'false', name: search.q || undefined },
              }}
              name={`policies-${org}`}
            />
            <NewPolicyButton org={org} />
          </>
        }
      />
      <NewNotice kinds={['policy']} loadedAt={policies.dataUpdatedAt} onShow={() => void policies.refetch()} />
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 no-print">
        <SearchBox
          label="Filter by name"
          value={search.q ?? ''}
          onChange={(q) => change({ q, after: undefined, page: undefined }, { replace: true })}
        />
        <Checkbox
          isSelected={search.archived === 'yes'}
          onChange={(on) => change({ archived: on ? 'yes' : undefined, after: undefined, page: undefined })}
        >
          Include archived
        </Checkbox>
        {search.q && (
          <Button variant="quiet" onPress={() => change({ q: undefined, after: undefined, page: undefined })}>
            Clear filters
          </Button>
        )}
      </div>
      <Panel flush>
        <Loaded of={policies}>
          {(list) => <PolicyTable org={org} list={list} search={search} onChange={change} />}
        </Loaded>
      </Panel>
    </>
  );
}

function NewPolicyButton({ org }: { readonly org: string }) {
  const may = useMay('manage_policies');
  const whyNot = useWhyNot('manage_policies');
  if (!may) return <Button whyNot={whyNot}>Create policy</Button>;
  return (
    <LinkButton href={paths.newPolicy(org)} variant="primary">
      Create policy
    </LinkButton>
  );
}

function PolicyTable({
  org,
  list,
  search,
  onChange,
}: {
  readonly org: string;
  readonly list: PolicyList;
  readonly search: Search;
  readonly onChange: (changes: { page?: number; after?: string | undefined }) => void;
}) {
  const found = list.policies;
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  const page = Math.min(search.page, pages);
  return (
    <>
      <DataTable
        caption="Policies"
        columns={columnsOf(org)}
        rows={found.slice((page - 1) * PER_PAGE, page * PER_PAGE)}
        rowKey={({ name, created_at }) => `${name} ${created_at}`}
        empty={<NoPolicies org={org} filtered={Boolean(search.q)} />}
      />
      <Pager
        page={page}
        pages={pages}
        total={found.length}
        what={found.length === 1 ? 'policy' : 'policies'}
        onPage={(to) => onChange({ page: to })}
      />
      <CursorPager after={search.after} next={list.next} onMove={(after) => onChange({ after, page: 1 })} />
    </>
  );
}

function columnsOf(org: string): readonly Column<Policy>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      wide: true,
      cell: ({ name, description, archived }) => (
        <>
          <Link href={paths.policy(org, name)} className="font-medium">
            {name}
          </Link>
          {archived && (
            <span className="ml-2">
              <Tag>archived</Tag>
            </span>
          )}
          {description !== '' && <div className="line-clamp-1 text-quiet">{description}</div>}
        </>
      ),
    },
    { key: 'version', title: 'Version', align: 'right', cell: ({ versions }) => versions.at(-1)?.version ?? '–' },
    {
      key: 'environments',
      title: 'Attached to',
      cell: ({ consuming_envs }) => <Environments org={org} names={consuming_envs} />,
    },
    {
      key: 'changed',
      title: 'Last change',
      cell: ({ last_modified_at, versions }) => (
        <>
          <Time at={last_modified_at} />
          <div className="text-[12.5px] text-quiet">{versions.at(-1)?.created_by}</div>
        </>
      ),
    },
  ];
}

const NAMED = 3;

function Environments({ org, names }: { readonly org: string; readonly names: readonly string[] }) {
  if (names.length === 0) return <span className="text-quiet">nothing yet</span>;
  return (
    <span className="flex flex-wrap gap-x-2 whitespace-nowrap sm:min-w-52 lg:min-w-80">
      {names.slice(0, NAMED).map((name) => (
        <Link key={name} href={paths.environment(org, name)}>
          {name}
        </Link>
      ))}
      {names.length > NAMED && <span className="text-quiet">and {names.length - NAMED} more</span>}
    </span>
  );
}

function NoPolicies({ org, filtered }: { readonly org: string; readonly filtered: boolean }) {
  if (filtered) return <Empty title="No policies match these filters">Change the filter to see more.</Empty>;
  return (
    <Empty
      title="No policies yet"
      command={`waymark policy apply prod-release -f prod-release.yml --org ${org}\nwaymark env policies attach production prod-release --org ${org}`}
    >
      A policy defines the evidence an artifact needs. Nothing is evaluated until one is attached to an environment.
      Write one here, or keep it in a file:
    </Empty>
  );
}
