import { listServiceAccounts, type ServiceAccount } from '@waymark/contract';
import { useState } from 'react';
import { z } from 'zod';
import { useDialogInAddress } from '../../../lib/dialog-address.ts';
import { holds, listPage } from '../../../lib/list-page.ts';
import { paths } from '../../../lib/paths.ts';
import { useRead } from '../../../lib/queries.ts';
import { useOrg, useSearchState } from '../../../lib/route.ts';
import { useRole } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { SearchBox } from '../../../ui/Fields.tsx';
import { Link } from '../../../ui/Link.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Notice, Panel, Tag } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { Permitted } from '../Permitted.tsx';
import { RowActions } from '../RowActions.tsx';
import { SharedOnly } from '../SharedOnly.tsx';
import { CreateAccount, DeleteAccount, EditAccount } from './AccountDialogs.tsx';

/** The most that the server returns at once. */
const LISTED_MAX = 10_000;

const Search = z.object({
  q: z.string().optional(),
  page: z.coerce.number().int().min(1).default(1),
});

type Open = { readonly kind: 'create' } | { readonly kind: 'edit' | 'delete'; readonly account: ServiceAccount };

export function ServiceAccountsTab() {
  return (
    <SharedOnly otherwise="Service accounts are available only in shared orgs. For your own programs, use a personal key.">
      <Permitted permission="manage_service_accounts" what="Service accounts">
        <ServiceAccounts />
      </Permitted>
    </SharedOnly>
  );
}

function ServiceAccounts() {
  const org = useOrg();
  const role = useRole();
  const [search, change] = useSearchState(Search);
  const [open, setOpen] = useState<Open>();
  const accounts = useRead(listServiceAccounts, { params: { org } });
  const [isAsked, setAsked] = useDialogInAddress('create-service-account');
  const close = () => {
    setOpen(undefined);
    setAsked(false);
  };
  return (
    <>
      <NewNotice kinds={['service_account']} loadedAt={accounts.dataUpdatedAt} onShow={() => void accounts.refetch()} />
      <div className="mb-3 flex flex-wrap items-start gap-2 no-print">
        <SearchBox
          label="Filter by name or description"
          value={search.q ?? ''}
          onChange={(q) => change({ q, page: undefined }, { replace: true })}
        />
      </div>
      <Panel
        flush
        title="Service accounts"
        {...(role !== 'admin' && { note: 'Only those that you created. Admins see all.' })}
        actions={
          <Button variant="primary" onPress={() => setOpen({ kind: 'create' })}>
            Create service account
          </Button>
        }
      >
        <Loaded of={accounts}>
          {(all) => {
            const fitting = all.filter(({ name, description }) => holds(search.q, name, description));
            const { rows, page, pages, total } = listPage(fitting, search.page);
            return (
              <>
                {all.length >= LISTED_MAX && (
                  <Notice kind="unsure">
                    Only the first {LISTED_MAX.toLocaleString('en')} are shown. The command line lists all of them.
                  </Notice>
                )}
                <DataTable
                  caption="Service accounts"
                  columns={columnsOf(org, setOpen)}
                  rows={rows}
                  rowKey={({ name }) => name}
                  empty={<NoAccounts org={org} filtered={all.length > 0} />}
                />
                {total > 0 && (
                  <Pager
                    page={page}
                    pages={pages}
                    total={total}
                    what={total === 1 ? 'service account' : 'service accounts'}
                    onPage={(to) => change({ page: to })}
                  />
                )}
              </>
            );
          }}
        </Loaded>
      </Panel>
      {(isAsked || open?.kind === 'create') && <CreateAccount onClose={close} />}
      {open?.kind === 'edit' && <EditAccount account={open.account} onClose={close} />}
      {open?.kind === 'delete' && <DeleteAccount account={open.account} onClose={close} onDone={close} />}
    </>
  );
}

function columnsOf(org: string, onOpen: (open: Open) => void): readonly Column<ServiceAccount>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      wide: true,
      cell: ({ name, description, for_webhook, suspended_keys }) => (
        <div className="min-w-0">
          <Link href={paths.serviceAccount(org, name)} className="font-medium">
            {name}
          </Link>{' '}
          {for_webhook && <Tag title="Created for a webhook">webhook</Tag>}
          {suspended_keys > 0 && <Tag>{suspended_keys === 1 ? '1 key' : `${suspended_keys} keys`} suspended</Tag>}
          {description !== '' && <div className="text-[13px] text-quiet">{description}</div>}
        </div>
      ),
    },
    { key: 'privilege', title: 'Role', cell: ({ privilege }) => privilege },
    {
      key: 'created',
      title: 'Created',
      secondary: true,
      cell: ({ created_at, made_by }) => (
        <>
          <Time at={created_at} /> {made_by !== null && <span className="text-quiet">by {made_by}</span>}
        </>
      ),
    },
    {
      key: 'actions',
      title: 'Actions',
      cell: (account) => (
        <RowActions>
          <Button aria-label={`Edit ${account.name}`} onPress={() => onOpen({ kind: 'edit', account })}>
            Edit
          </Button>
          <Button
            variant="remove"
            aria-label={`Delete ${account.name}`}
            onPress={() => onOpen({ kind: 'delete', account })}
          >
            Delete
          </Button>
        </RowActions>
      ),
    },
  ];
}

function NoAccounts({ org, filtered }: { readonly org: string; readonly filtered: boolean }) {
  if (filtered) return <Empty title="No service accounts match these filters">Change the filter to see more.</Empty>;
  return (
    <Empty
      title="No service accounts yet"
      command={`waymark sa create builder --role member --org ${org}\nwaymark key create 'CI of the shop' --sa builder --expires 90d --org ${org}`}
    >
      A service account is the identity of a program, such as a pipeline or a reporter. Create one with a key:
    </Empty>
  );
}
