import { useNavigate } from '@tanstack/react-router';
import {
  createServiceAccount,
  deleteServiceAccount,
  listServiceAccountKeys,
  listWorkloadIdentities,
  type Role,
  type ServiceAccount,
  updateServiceAccount,
} from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../../lib/paths.ts';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { useMay, useRole } from '../../../lib/session.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Time } from '../../../ui/Time.tsx';
import { RoleSelect } from '../RoleSelect.tsx';
import { rolesUpTo, usualAccountRole } from '../role-words.ts';
import { whatStops } from './what-stops.ts';

export function CreateAccount({ onClose }: { readonly onClose: () => void }) {
  const org = useOrg();
  const own = useRole();
  const navigate = useNavigate();
  const [privilege, setPrivilege] = useState<Role>(usualAccountRole(own));
  const write = useWrite(createServiceAccount, {
    done: ({ name }) => `Service account ${name} created. It has no key yet`,
    onDone: ({ name }) => void navigate({ href: paths.serviceAccount(org, name) }),
  });
  return (
    <Dialog title="Create service account" onClose={onClose}>
      {(close) => (
        <Form
          submit="Create service account"
          error={write.error}
          isPending={write.isPending}
          onCancel={close}
          onSubmit={({ name = '', display_name = '', description = '' }) =>
            write.mutate({ params: { org }, body: { name, display_name, description, privilege } })
          }
        >
          <Field name="name" label="Name" isRequired autoFocus maxLength={64} help="Letters, digits, and hyphens" />
          <Field name="display_name" label="Display name" maxLength={255} help="Default: the name" />
          <Field name="description" label="Description" maxLength={512} />
          <RoleSelect name="privilege" value={privilege} onChange={setPrivilege} among={rolesUpTo(own)} />
        </Form>
      )}
    </Dialog>
  );
}

interface AccountProps {
  readonly account: ServiceAccount;
  readonly onClose: () => void;
}

export function EditAccount({ account, onClose }: AccountProps) {
  const org = useOrg();
  const own = useRole();
  const [privilege, setPrivilege] = useState<Role>(account.privilege);
  const write = useWrite(updateServiceAccount, { done: `${account.name} saved`, onDone: onClose });
  const among = [...new Set([...rolesUpTo(own), account.privilege])];
  return (
    <Dialog title={`Edit ${account.name}`} onClose={onClose}>
      {(close) => (
        <Form
          submit="Save"
          error={write.error}
          isPending={write.isPending}
          onCancel={close}
          onSubmit={({ display_name = '', description = '' }) =>
            write.mutate({
              params: { org, name: account.name },
              body: { display_name, description, ...(privilege !== account.privilege && { privilege }) },
            })
          }
        >
          <Field
            name="display_name"
            label="Display name"
            maxLength={255}
            defaultValue={account.display_name === account.name ? '' : account.display_name}
            help="Leave empty to show the name"
          />
          <Field name="description" label="Description" maxLength={512} defaultValue={account.description} />
          <RoleSelect name="privilege" value={privilege} onChange={setPrivilege} among={among} />
          <p className="text-[13px] text-quiet">
            Its keys have the new role from their next request. A higher role suspends keys created by people with a
            lower role.
          </p>
        </Form>
      )}
    </Dialog>
  );
}

/** Says how many keys and rules stop working with it, and when a key was last used. */
export function DeleteAccount({ account, onClose, onDone }: AccountProps & { readonly onDone: () => void }) {
  const org = useOrg();
  const maySeeRules = useMay('manage_workload_identities');
  const keys = useRead(listServiceAccountKeys, { params: { org, name: account.name } }, { fresh: true });
  const rules = useRead(listWorkloadIdentities, { params: { org } }, { enabled: maySeeRules });
  const write = useWrite(deleteServiceAccount, { done: `${account.name} deleted`, onDone });
  const stops = whatStops(
    keys.data,
    rules.data?.filter(({ service_account }) => service_account === account.name),
  );
  return (
    <ConfirmDialog
      title={`Delete ${account.name}`}
      confirm="Delete service account"
      write={write}
      onConfirm={() => write.mutate({ params: { org, name: account.name } })}
      onClose={onClose}
    >
      <p>{stops.says}</p>
      {stops.lastUsedAt !== null && (
        <p>
          One of its keys was last used <Time at={stops.lastUsedAt} />.
        </p>
      )}
      <p className="text-quiet">Waymark keeps its records. Its name becomes available.</p>
    </ConfirmDialog>
  );
}
