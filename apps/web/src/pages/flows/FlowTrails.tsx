import { listTrails } from '@waymark/contract';
import type { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { TrailState } from '../trails/TrailState.tsx';

const PER_PAGE = 25;

type Row = z.output<(typeof listTrails)['reply']>['data'][number];

interface TrailsProps {
  readonly org: string;
  readonly flow: string;
  readonly page: number;
  /** All digits of a commit or a fingerprint; undefined for anything else. */
  readonly digits: string;
  readonly onPage: (page: number) => void;
}

export function useFlowTrails({ org, flow, page, digits }: Omit<TrailsProps, 'onPage'>) {
  return useRead(
    listTrails,
    {
      params: { org },
      query: {
        flow,
        page,
        per_page: PER_PAGE,
        commit: digits.length === 40 ? digits : undefined,
        fingerprint: digits.length === 64 ? digits : undefined,
      },
    },
    { enabled: isWhole(digits) },
  );
}

/** The server matches them exactly. */
export function isWhole(digits: string): boolean {
  return digits === '' || /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(digits);
}

export function FlowTrails({ trails, ...props }: TrailsProps & { readonly trails: ReturnType<typeof useFlowTrails> }) {
  const { org, flow, page, digits, onPage } = props;
  if (!isWhole(digits))
    return (
      <Empty title="Incomplete commit or fingerprint">
        Enter all 40 digits of a commit, or all 64 of a fingerprint.{' '}
        <Link href={paths.trace(org, digits)} className="underline">
          Where is it?
        </Link>{' '}
        also finds them by their first digits.
      </Empty>
    );
  return (
    <Loaded of={trails}>
      {({ data, pagination }) => (
        <>
          <DataTable
            caption="Trails, newest first"
            columns={columnsOf(org)}
            rows={data}
            rowKey={({ name }) => name}
            empty={<NoTrails org={org} flow={flow} filtered={digits !== ''} />}
          />
          <Pager page={page} pages={pagination.page_count} total={pagination.total} what="trails" onPage={onPage} />
        </>
      )}
    </Loaded>
  );
}

function columnsOf(org: string): readonly Column<Row>[] {
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
