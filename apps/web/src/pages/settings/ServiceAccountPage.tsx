import { useNavigate } from '@tanstack/react-router';
import { getServiceAccount, listServiceAccountKeys } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { useMay } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Tag } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { KeyList } from './keys/KeyList.tsx';
import { type KeyOutcomes, useAccountKeyActions } from './keys/key-actions.ts';
import { Permitted } from './Permitted.tsx';
import { roleSays } from './role-words.ts';
import { DeleteAccount, EditAccount } from './service-accounts/AccountDialogs.tsx';
import { AccountRules } from './service-accounts/AccountRules.tsx';

export function ServiceAccountPage() {
  const org = useOrg();
  const name = useParam('account');
  const crumbs = [{ href: paths.settings(org, 'service-accounts'), label: 'Service accounts' }];
  const may = useMay('manage_service_accounts');
  return (
    <>
      {!may && <PageHead title={name} crumbs={crumbs} />}
      <Permitted permission="manage_service_accounts" what="Service accounts">
        <Account key={name} org={org} name={name} crumbs={crumbs} />
      </Permitted>
    </>
  );
}

interface AccountProps {
  readonly org: string;
  readonly name: string;
  readonly crumbs: readonly { readonly href: string; readonly label: string }[];
}

function Account({ org, name, crumbs }: AccountProps) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const account = useRead(getServiceAccount, { params: { org, name } }, { fresh: true });
  const { data } = account;
  const close = () => setOpen(undefined);
  return (
    <>
      <PageHead
        title={name}
        crumbs={crumbs}
        state={data && <Tag>{data.privilege}</Tag>}
        note={
          data && (
            <span className="flex flex-wrap gap-x-4">
              {data.description !== '' && <span>{data.description}</span>}
              <span>
                Created <Time at={data.created_at} />
                {data.made_by !== null && <> by {data.made_by}</>}
              </span>
              <span>{roleSays(data.privilege)}</span>
            </span>
          )
        }
        actions={
          data && (
            <>
              <Button onPress={() => setOpen('edit')}>Edit</Button>
              <Button variant="danger" onPress={() => setOpen('delete')}>
                Delete
              </Button>
            </>
          )
        }
      />
      <Loaded of={account}>
        {(found) => (
          <>
            <AccountKeys org={org} name={name} />
            <AccountRules org={org} name={name} />
            {open === 'edit' && <EditAccount account={found} onClose={close} />}
            {open === 'delete' && (
              <DeleteAccount
                account={found}
                onClose={close}
                onDone={() => void navigate({ href: paths.settings(org, 'service-accounts') })}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function AccountKeys({ org, name }: Pick<AccountProps, 'org' | 'name'>) {
  const keys = useRead(listServiceAccountKeys, { params: { org, name } }, { fresh: true });
  const useActions = (outcomes: KeyOutcomes) => useAccountKeyActions(org, name, outcomes);
  return (
    <div className="mb-4">
      <NewNotice kinds={['api_key']} loadedAt={keys.dataUpdatedAt} onShow={() => void keys.refetch()} />
      <KeyList
        title="Keys"
        keys={keys}
        useActions={useActions}
        command={`waymark key create 'deploys' --sa ${name} --scope evidence --expires 90d --org ${org}`}
      />
    </div>
  );
}
