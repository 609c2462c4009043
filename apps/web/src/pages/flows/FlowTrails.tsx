import { listFlowTrails, type TrailSummary } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { TrailState } from '../trails/TrailState.tsx';
import { areDigits, digitsOf, hasFilters, type TrailSearch, trailFilter, trailPageOf } from './trail-search.ts';

const PER_PAGE = 25;

interface TrailsProps {
  readonly org: string;
  readonly flow: string;
  readonly search: TrailSearch;
  readonly onPage: (page: number) => void;
}

export function useFlowTrails({ org, flow, search }: Omit<TrailsProps, 'onPage'>) {
  return useRead(
    listFlowTrails,
    { params: { org, flow_name: flow }, query: { page: search.page, per_page: PER_PAGE, ...trailFilter(search) } },
    { enabled: areDigits(digitsOf(search)) },
  );
}

export function FlowTrails({ trails, ...props }: TrailsProps & { readonly trails: ReturnType<typeof useFlowTrails> }) {
  const { org, flow, search, onPage } = props;
  const digits = digitsOf(search);
  if (!areDigits(digits))
    return (
      <Empty title="Incomplete commit or fingerprint">
        Enter at least 6 digits of a commit, or all 64 of a fingerprint.{' '}
        <Link href={paths.trace(org, digits)} className="underline">
          Where is it?
        </Link>{' '}
        also finds them by their first digits.
      </Empty>
    );
  return (
    <Loaded of={trails}>
      {(answer) => {
        const { data, pagination } = trailPageOf(answer);
        return (
          <>
            <DataTable
              caption="Trails, newest first"
              columns={columnsOf(org)}
              rows={data}
              rowKey={({ name }) => name}
              empty={<NoTrails org={org} flow={flow} filtered={hasFilters(search)} />}
            />
            <Pager
              page={search.page}
              pages={pagination.page_count}
              total={pagination.total}
              what={pagination.total === 1 ? 'trail' : 'trails'}
              onPage={onPage}
            />
          </>
        );
      }}
    </Loaded>
  );
}

function columnsOf(org: string): readonly Column<TrailSummary>[] {
  return [
    { key: 'state', title: 'State', cell: ({ compliance_state }) => <TrailState state={compliance_state} /> },
    {
      key: 'name',
      title: 'Trail',
      wide: true,
      cell: ({ name, flow_name, git_commit_info, description }) => (
        <div className="min-w-0">
          <Link href={paths.trail(org, flow_name, name)} className="font-medium">
            {name}
          </Link>
          <div className="line-clamp-1 text-quiet">{git_commit_info?.message?.split('\n')[0] || description}</div>
        </div>
      ),
    },
    {
      key: 'commit',
      title: 'Commit',
      cell: ({ git_commit_info }) => <Digits text={git_commit_info?.sha1 ?? ''} what="commit" />,
    },
    {
      key: 'author',
      title: 'Author',
      secondary: true,
      cell: ({ git_commit_info }) => git_commit_info?.author_username || git_commit_info?.author || '–',
    },
    {
      key: 'branch',
      title: 'Branch',
      secondary: true,
      cell: ({ git_commit_info }) => git_commit_info?.branch || '–',
    },
    { key: 'begun', title: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}

function NoTrails({
  org,
  flow,
  filtered,
}: {
  readonly org: string;
  readonly flow: string;
  readonly filtered: boolean;
}) {
  if (filtered)
    return <Empty title="No trails of this flow match these filters">Search all flows with ‘Where is it?’.</Empty>;
  return (
    <Empty title="No trails yet" command={`waymark begin trail --flow ${flow} --org ${org}`}>
      A trail is one run of the flow. Start one in your build job:
    </Empty>
  );
}
