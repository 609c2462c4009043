import { createOrganization, getDefaultOrg, leaveOrganization, setDefaultOrg } from '@waymark/contract';
import { useState } from 'react';
import { leaveFor } from '../../../lib/base-path.ts';
import { paths } from '../../../lib/paths.ts';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { LAST_ADMIN, useLastAdmin } from '../members/use-last-admin.ts';

export function DefaultOrg({ org }: { readonly org: string }) {
  const answer = useRead(getDefaultOrg, {});
  const write = useWrite(setDefaultOrg, { done: `${org} is your default org` });
  return (
    <div>
      <h3 className="font-medium">Default org</h3>
      <Loaded of={answer} lines={1}>
        {({ default_org_name: current }) => (
          <>
            <p className="mb-2 text-quiet">
              {current === org
                ? 'This is your default org: it opens after sign-in.'
                : `Opens after sign-in. Currently: ${current ?? 'your first org'}.`}
            </p>
            {current !== org && (
              <Button isDisabled={write.isPending} onPress={() => write.mutate({ params: { org } })}>
                Make {org} the default
              </Button>
            )}
            {write.error && <p className="mt-2 text-bad">{write.error.message}</p>}
          </>
        )}
      </Loaded>
    </div>
  );
}

export function LeaveOrg({ org }: { readonly org: string }) {
  const [asking, setAsking] = useState(false);
  const own = useSession().data?.login;
  const lastAdmin = useLastAdmin();
  const whyNot = own !== undefined && own === lastAdmin ? LAST_ADMIN : undefined;
  const write = useWrite(leaveOrganization, {
    done: `You have left ${org}`,
    onDone: () => leaveFor('/'),
  });
  return (
    <div>
      <h3 className="font-medium">Leave org</h3>
      <p className="mb-2 text-quiet">The last admin of an org cannot leave it.</p>
      <Button variant="danger" whyNot={whyNot} onPress={() => setAsking(true)}>
        Leave {org}
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Leave ${org}`}
          confirm="Leave org"
          write={write}
          onConfirm={() => write.mutate({ params: { org } })}
          onClose={() => setAsking(false)}
        >
          <p>
            You lose access to {org}, and anything that uses your personal keys stops working here. To return, you need
            an invitation.
          </p>
          <p className="text-quiet">What you recorded stays, and so do the service accounts you created.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

export function CreateOrg() {
  const onlyOrg = useSession().data?.only_org ?? null;
  const [open, setOpen] = useState(false);
  const write = useWrite(createOrganization, {
    onDone: ({ name }) => leaveFor(paths.home(name)),
  });
  return (
    <Panel title="New org">
      <p className="mb-3 text-quiet">
        A shared org has its own members, environments, and rules. You become its admin.
      </p>
      <Button whyNot={onlyOrg === null ? undefined : `You signed in for ${onlyOrg} only`} onPress={() => setOpen(true)}>
        Create org
      </Button>
      {open && (
        <Dialog title="Create org" onClose={() => setOpen(false)}>
          {(close) => (
            <Form
              submit="Create org"
              error={write.error}
              isPending={write.isPending}
              onCancel={close}
              onSubmit={({ name = '' }) => write.mutate({ body: { name } })}
            >
              <Field
                name="name"
                label="Org name"
                isRequired
                autoFocus
                maxLength={64}
                help="Letters, digits, and . - _ ~. It is part of every URL and cannot be changed."
              />
            </Form>
          )}
        </Dialog>
      )}
    </Panel>
  );
}
