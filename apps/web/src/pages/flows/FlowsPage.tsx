import { useSearch } from '@tanstack/react-router';
import { exportFlows, type Flow, listFlows } from '@waymark/contract';
import { z } from 'zod';
import { useColumnChoice } from '../../lib/column-choice.ts';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { stringifySearch, useOrg, useSearchState } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { ColumnsMenu } from '../../ui/ColumnsMenu.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ExportButtons } from '../../ui/ExportButtons.tsx';
import { SearchBox } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { TagFilter } from '../../ui/TagFilter.tsx';
import { Time } from '../../ui/Time.tsx';
import { CreateFlowButton } from './CreateFlowDialog.tsx';
import { LatestTrail, TrailBars } from './LatestTrails.tsx';

const Search = z.object({
  q: z.string().optional(),
  tag: z.string().optional(),
  sort: z.enum(['name', 'latest_activity']).default('name'),
  direction: z.enum(['asc', 'desc']).default('asc'),
  page: z.coerce.number().int().min(1).default(1),
});

/** The state of each is a request of its own, which limits the size of a page. */
const PER_PAGE = 25;
/** The characters of names: with any other, no flow matches. */
const NAME_PART = /^[a-zA-Z0-9.\-_~]+$/;

export function FlowsPage() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const isName = !search.q || NAME_PART.test(search.q);
  const filter = {
    search_by_name: search.q || undefined,
    case_sensitive: 'false',
    tag: search.tag,
    sort: search.sort,
    sort_direction: search.direction,
  } as const;
  const flows = useRead(
    listFlows,
    {
      params: { org },
      query: { page: search.page, per_page: PER_PAGE, ...filter },
    },
    { enabled: isName },
  );
  const choice = useColumnChoice(org, 'flows', columnsOf(org));
  return (
    <>
      <PageHead
        title="Flows"
        note="Delivery processes, and the state of their latest trails."
        actions={
          <>
            <ColumnsMenu of={choice} />
            {isName && (
              <ExportButtons of={exportFlows} input={{ params: { org }, query: filter }} name={`flows-${org}`} />
            )}
            <CreateFlowButton org={org} />
          </>
        }
      />
      <NewNotice kinds={['flow']} loadedAt={flows.dataUpdatedAt} onShow={() => void flows.refetch()} />
      <div className="mb-3 flex flex-wrap items-center gap-2 no-print">
        <SearchBox
          label="Filter by name"
          value={search.q ?? ''}
          onChange={(q) => change({ q, page: undefined }, { replace: true })}
        />
        <TagFilter value={search.tag} onChange={(tag) => change({ tag, page: undefined })} />
        {(search.q || search.tag) && (
          <Button variant="quiet" onPress={() => change({ q: undefined, tag: undefined, page: undefined })}>
            Clear filters
          </Button>
        )}
      </div>
      <Panel flush>
        {isName ? (
          <Loaded of={flows}>
            {(answer) => {
              const { rows, total, pages } = asPage(answer);
              return (
                <>
                  <DataTable
                    caption="Flows"
                    columns={choice.columns}
                    rows={rows}
                    rowKey={({ id }) => id}
                    sort={{ by: search.sort, direction: search.direction }}
                    onSort={({ by, direction }) =>
                      change({ sort: by as typeof search.sort, direction, page: undefined })
                    }
                    empty={<NoFlows org={org} filtered={Boolean(search.q || search.tag)} />}
                  />
                  <Pager
                    page={search.page}
                    pages={pages}
                    total={total}
                    what={total === 1 ? 'flow' : 'flows'}
                    onPage={(page) => change({ page })}
                  />
                </>
              );
            }}
          </Loaded>
        ) : (
          <Empty title="No flows match these filters">Flow names contain only letters, digits, and . - _ ~.</Empty>
        )}
      </Panel>
    </>
  );
}

/** With `page` the response is always an envelope. */
function asPage(answer: z.output<(typeof listFlows)['reply']>) {
  if (Array.isArray(answer)) return { rows: answer, total: answer.length, pages: 1 };
  return { rows: answer.data, total: answer.pagination.total, pages: answer.pagination.page_count };
}

function columnsOf(org: string): readonly Column<Flow>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      sort: 'name',
      wide: true,
      cell: ({ name, description, tags, auto_created }) => (
        <div className="min-w-0">
          <Link href={paths.flow(org, name)} className="font-medium">
            {name}
          </Link>
          {auto_created && (
            <>
              {' '}
              <Tag title="Evidence named it before it was created; it requires no evidence">created by evidence</Tag>
            </>
          )}
          {description !== '' && <div className="line-clamp-1 text-quiet">{description}</div>}
          <TagLinks org={org} flow={name} tags={tags} />
        </div>
      ),
    },
    { key: 'latest', title: 'Latest trail', cell: ({ name }) => <LatestTrail org={org} flow={name} /> },
    { key: 'bars', title: 'Last 12 trails', secondary: true, cell: ({ name }) => <TrailBars org={org} flow={name} /> },
    {
      key: 'deployed',
      title: 'Last deployment',
      cell: ({ last_deployment_at }) => <Time at={last_deployment_at} none="never" />,
    },
    {
      key: 'changed',
      title: 'Last change',
      sort: 'latest_activity',
      secondary: true,
      cell: ({ latest_activity_at }) => <Time at={latest_activity_at} />,
    },
  ];
}

const TAGS_SHOWN = 5;

function TagLinks({ org, flow, tags }: { readonly org: string; readonly flow: string; readonly tags: Flow['tags'] }) {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const entries = Object.entries(tags);
  if (entries.length === 0) return null;
  return (
    <div className="mt-0.5 flex flex-wrap gap-1">
      {entries.slice(0, TAGS_SHOWN).map(([key, value]) => (
        <Link
          key={key}
          href={`${paths.flows(org)}${stringifySearch({ ...search, tag: `${key}:${value}`, page: undefined })}`}
          aria-label={`Flows with tag ${key} ${value}`}
          className="no-underline"
        >
          <Tag>{value === '' ? key : `${key}: ${value}`}</Tag>
        </Link>
      ))}
      {entries.length > TAGS_SHOWN && (
        <Link href={paths.flow(org, flow)} className="text-[13px]">
          {entries.length - TAGS_SHOWN} more tags
        </Link>
      )}
    </div>
  );
}

function NoFlows({ org, filtered }: { readonly org: string; readonly filtered: boolean }) {
  if (filtered) return <Empty title="No flows match these filters">Remove a filter to see more.</Empty>;
  return (
    <Empty
      title="No flows yet"
      command={`waymark flow create web --template template.yml --org ${org}\nwaymark begin trail --flow web --org ${org}`}
    >
      A flow is a delivery process, with the evidence that every run requires. Create one, then start a trail with each
      build:
    </Empty>
  );
}
