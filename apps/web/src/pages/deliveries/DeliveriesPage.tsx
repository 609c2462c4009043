import { type Delivery, listDeliveries } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { CursorPager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { TARGET_WORDS } from '../notifications/target-words.ts';
import { shortTrigger } from '../notifications/trigger-words.ts';
import { DeliveryFilters } from './DeliveryFilters.tsx';
import { DeliveryState } from './DeliveryState.tsx';
import { isFiltered, queryOf, useDeliverySearch } from './delivery-search.ts';
import { OutcomeBar } from './OutcomeBar.tsx';
import { RedeliverRange } from './RedeliverRange.tsx';
import { useLinkedPage } from './use-linked-page.ts';

export function DeliveriesPage() {
  const org = useOrg();
  const [search, change] = useDeliverySearch();
  const deliveries = useLinkedPage(listDeliveries, { params: { org }, query: queryOf(search) });
  const loadedAt = deliveries.dataUpdatedAt / 1000;
  return (
    <>
      <PageHead
        title="Deliveries"
        note="Messages of the last 30 days, and their delivery attempts."
        actions={<RedeliverRange search={search} />}
      />
      <NewNotice
        kinds={['target', 'delivery', 'notification']}
        loadedAt={deliveries.dataUpdatedAt}
        onShow={() => void deliveries.refetch()}
      />
      <DeliveryFilters search={search} change={change} />
      <Loaded of={deliveries}>
        {({ rows, next }) => (
          <div className="space-y-4">
            {rows.length > 0 && (
              <Panel
                title="Outcomes"
                note={
                  <>
                    {rows.length === 1 ? '1 delivery' : `${rows.length} deliveries`} on this page, as of{' '}
                    <Time at={loadedAt} as="exact" />
                  </>
                }
                actions={
                  <Button variant="quiet" isDisabled={deliveries.isFetching} onPress={() => void deliveries.refetch()}>
                    Refresh
                  </Button>
                }
              >
                <OutcomeBar deliveries={rows} />
              </Panel>
            )}
            <Panel flush title="Deliveries, newest first">
              <DataTable
                caption="Deliveries"
                columns={columnsOf(org)}
                rows={rows}
                rowKey={({ id }) => id}
                empty={<NoDeliveries org={org} filtered={isFiltered(search)} />}
              />
              <CursorPager after={search.after} next={next} onMove={(after) => change({ after })} />
            </Panel>
          </div>
        )}
      </Loaded>
    </>
  );
}

function columnsOf(org: string): readonly Column<Delivery>[] {
  return [
    {
      key: 'what',
      title: 'Message',
      wide: true,
      cell: ({ id, description, count }) => (
        <>
          <Link href={paths.delivery(org, id)} className="line-clamp-2 font-medium" title={description}>
            {description}
          </Link>
          {count > 1 && <span className="text-[13px] text-quiet">{count} events</span>}
        </>
      ),
    },
    { key: 'state', title: 'State', cell: ({ state }) => <DeliveryState state={state} /> },
    {
      key: 'event',
      title: 'Trigger',
      secondary: true,
      cell: ({ event_type }) => <Short>{shortTrigger(event_type)}</Short>,
    },
    {
      key: 'to',
      title: 'Target',
      cell: ({ target, notification }) => (
        <div className="[overflow-wrap:anywhere] sm:min-w-40 print:min-w-28">
          {target.to} <span className="text-quiet">by {TARGET_WORDS[target.type].toLowerCase()}</span>
          {notification && <div className="text-[13px] text-quiet">{notification.name}</div>}
        </div>
      ),
    },
    { key: 'attempts', title: 'Attempts', align: 'right', cell: ({ attempt_count }) => attempt_count },
    { key: 'made', title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      key: 'next',
      title: 'Next attempt',
      secondary: true,
      cell: ({ next_attempt_at }) => <Time at={next_attempt_at} none="–" />,
    },
  ];
}

function Short({ children }: { readonly children: string }) {
  return <span className="sm:whitespace-nowrap">{children}</span>;
}

function NoDeliveries({ org, filtered }: { readonly org: string; readonly filtered: boolean }) {
  if (filtered)
    return (
      <Empty title="No deliveries match these filters">
        Remove a filter to see more. Waymark keeps deliveries for 30 days.
      </Empty>
    );
  return (
    <Empty
      title="No deliveries yet"
      command={`waymark notify create production-alerts --env production --on non-compliant --email ops@example.org --org ${org}`}
    >
      Messages are sent by{' '}
      <Link href={paths.notifications(org)} className="underline">
        notifications
      </Link>
      . To be notified when an environment becomes non-compliant:
    </Empty>
  );
}
