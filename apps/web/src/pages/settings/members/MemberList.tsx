import { listMembers, type Member } from '@waymark/contract';
import { useState } from 'react';
import { z } from 'zod';
import { dayEnd } from '../../../lib/day.ts';
import { PER_PAGE } from '../../../lib/list-page.ts';
import { useRead } from '../../../lib/queries.ts';
import { useOrg, useSearchState } from '../../../lib/route.ts';
import { useMay, useOrgKind, useSession } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { NoRows, Pager } from '../../../ui/Pager.tsx';
import { Panel, Tag } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { RowActions } from '../RowActions.tsx';
import { ChangeRole, RemoveMember } from './MemberDialogs.tsx';
import { LAST_ADMIN, useLastAdmin } from './use-last-admin.ts';

const Search = z.object({
  /** A day, to list the members at its end. */
  at: z.iso.date().optional(),
  page: z.coerce.number().int().min(1).default(1),
});

type Open = { readonly kind: 'role' | 'remove'; readonly member: Member };

export function MemberList() {
  const org = useOrg();
  const own = useSession().data?.login;
  const kind = useOrgKind();
  const [search, change] = useSearchState(Search);
  const [open, setOpen] = useState<Open>();
  const lastAdmin = useLastAdmin();
  const at = dayEnd(search.at);
  const members = useRead(listMembers, { params: { org }, query: { page: search.page, per_page: PER_PAGE, at } });
  // Members are changed as they are now, and only in shared orgs.
  const mayChange = useMay('manage_members') && at === undefined && kind === 'shared';
  const close = () => setOpen(undefined);
  const goTo = (page: number) => change({ page });
  return (
    <>
      <NewNotice
        kinds={['membership', 'user']}
        loadedAt={members.dataUpdatedAt}
        onShow={() => void members.refetch()}
      />
      <Panel
        flush
        title={search.at === undefined ? 'Members' : `Members at the end of ${search.at} (UTC)`}
        actions={
          <DayInput
            label="As of"
            value={search.at}
            onChange={(day) => change({ at: day, page: undefined })}
            clear="Back to today"
          />
        }
      >
        <Loaded of={members}>
          {({ members: rows, total_count, total_pages }) => (
            <>
              <DataTable
                caption="Members of the org"
                columns={columnsOf(own, lastAdmin, mayChange ? setOpen : undefined)}
                rows={rows}
                rowKey={({ login }) => login}
                empty={
                  <NoRows total={total_count} pages={total_pages} onPage={goTo}>
                    <Empty title="No members at that time">Choose a later day.</Empty>
                  </NoRows>
                }
              />
              <Pager
                page={search.page}
                pages={total_pages}
                total={total_count}
                what={total_count === 1 ? 'member' : 'members'}
                onPage={goTo}
              />
            </>
          )}
        </Loaded>
      </Panel>
      {open?.kind === 'role' && <ChangeRole member={open.member} onClose={close} />}
      {open?.kind === 'remove' && <RemoveMember member={open.member} onClose={close} />}
    </>
  );
}

function columnsOf(
  own: string | undefined,
  lastAdmin: string | undefined,
  onOpen: ((open: Open) => void) | undefined,
): readonly Column<Member>[] {
  const columns: readonly Column<Member>[] = [
    {
      key: 'name',
      title: 'Name',
      wide: true,
      cell: ({ login, display_name, email }) => (
        <div className="min-w-0">
          <span className="font-medium">{display_name}</span> {login === own && <Tag>you</Tag>}
          <div className="text-[13px] text-quiet">
            {[display_name === login ? null : login, email].filter(Boolean).join(' · ')}
          </div>
        </div>
      ),
    },
    { key: 'role', title: 'Role', cell: ({ role }) => role },
    { key: 'since', title: 'Role assigned', cell: ({ since }) => <Time at={since} /> },
  ];
  if (!onOpen) return columns;
  return [
    ...columns,
    {
      key: 'actions',
      title: 'Actions',
      cell: (member) => (
        <RowActions>
          <Button
            whyNot={member.login === lastAdmin ? LAST_ADMIN : undefined}
            aria-label={`Change role of ${member.login}`}
            onPress={() => onOpen({ kind: 'role', member })}
          >
            Change role
          </Button>
          <Button
            variant="remove"
            whyNot={member.login === lastAdmin ? LAST_ADMIN : undefined}
            aria-label={`Remove ${member.login}`}
            onPress={() => onOpen({ kind: 'remove', member })}
          >
            Remove
          </Button>
        </RowActions>
      ),
    },
  ];
}
