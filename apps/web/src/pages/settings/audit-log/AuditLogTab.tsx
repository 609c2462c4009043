import { exportMembershipAuditLog, getMembershipAuditLog, type MembershipEvent } from '@waymark/contract';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { type Column, DataTable, type Sort } from '../../../ui/DataTable.tsx';
import { ExportButtons } from '../../../ui/ExportButtons.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { Permitted } from '../Permitted.tsx';
import { AuditLogFilters } from './AuditLogFilters.tsx';
import { EVENT_WORDS, filterOf, queryOf, SOURCE_WORDS, type SortBy, useAuditLogSearch } from './audit-log-search.ts';

export function AuditLogTab() {
  return (
    <Permitted permission="read_members" what="Membership log entries">
      <AuditLog />
    </Permitted>
  );
}

function AuditLog() {
  const org = useOrg();
  const [search, change] = useAuditLogSearch();
  const log = useRead(getMembershipAuditLog, { params: { org }, query: { ...queryOf(search), page: search.page } });
  return (
    <>
      <NewNotice kinds={['membership']} loadedAt={log.dataUpdatedAt} onShow={() => void log.refetch()} />
      <AuditLogFilters search={search} change={change} />
      <Panel
        flush
        title="Membership log"
        actions={
          <ExportButtons
            of={exportMembershipAuditLog}
            input={{ params: { org }, query: filterOf(search) }}
            name={`membership-audit-log-${org}`}
          />
        }
      >
        <Loaded of={log}>
          {({ events, total_count, total_pages }) => (
            <>
              <DataTable
                caption="Membership log"
                columns={COLUMNS}
                rows={events}
                rowKey={({ id }) => id}
                sort={{ by: search.sort, direction: search.direction }}
                onSort={({ by, direction }: Sort) => change({ sort: by as SortBy, direction, page: undefined })}
                empty={<Empty title="No entries match these filters">Remove a filter to see more.</Empty>}
              />
              <Pager
                page={search.page}
                pages={total_pages}
                total={total_count}
                what={total_count === 1 ? 'entry' : 'entries'}
                onPage={(page) => change({ page })}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

const COLUMNS: readonly Column<MembershipEvent>[] = [
  { key: 'when', title: 'When', sort: 'when', cell: ({ created_at }) => <Time at={created_at} as="exact" /> },
  {
    key: 'user',
    title: 'Member',
    sort: 'user',
    wide: true,
    cell: ({ user, user_login }) => (
      <div className="min-w-0">
        <span className="font-medium">{user}</span>
        {user !== user_login && <div className="text-[13px] text-quiet">{user_login}</div>}
      </div>
    ),
  },
  { key: 'what', title: 'Change', cell: ({ event_type }) => <Short>{EVENT_WORDS[event_type]}</Short> },
  { key: 'role', title: 'Role', sort: 'role', cell: (event) => <Short>{roleChange(event)}</Short> },
  {
    key: 'by',
    title: 'By',
    sort: 'changed_by',
    cell: ({ changed_by }) => <div className="sm:min-w-28">{changed_by}</div>,
  },
  { key: 'source', title: 'Source', sort: 'source', cell: ({ source }) => <Short>{SOURCE_WORDS[source]}</Short> },
];

function roleChange({ role, previous_role }: MembershipEvent): string {
  if (previous_role === '') return role;
  return role === '' ? `was ${previous_role}` : `${previous_role} → ${role}`;
}

function Short({ children }: { readonly children: string }) {
  return <span className="sm:whitespace-nowrap">{children}</span>;
}
