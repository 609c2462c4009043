import { createInvitation, type Invitation, listInvitations, type Role, revokeInvitation } from '@waymark/contract';
import { useState } from 'react';
import { z } from 'zod';
import { useDialogInAddress } from '../../../lib/dialog-address.ts';
import { listPage } from '../../../lib/list-page.ts';
import { useNow } from '../../../lib/now.ts';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { useOrg, useSearchState } from '../../../lib/route.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { StateBadge } from '../../../ui/StateBadge.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { RoleSelect } from '../RoleSelect.tsx';

const Search = z.object({ invitations: z.coerce.number().int().min(1).default(1) });

export function Invitations() {
  const org = useOrg();
  const now = useNow();
  const [search, change] = useSearchState(Search);
  const [inviting, setInviting] = useDialogInAddress('invite-member');
  const [revoked, setRevoked] = useState<Invitation>();
  const invitations = useRead(listInvitations, { params: { org } });
  return (
    <Panel
      flush
      title="Open invitations"
      actions={
        <Button variant="primary" onPress={() => setInviting(true)}>
          Invite member
        </Button>
      }
    >
      <Loaded of={invitations} lines={2}>
        {(all) => {
          const { rows, page, pages, total } = listPage(all, search.invitations);
          return (
            <>
              <DataTable
                caption="Open invitations"
                columns={columnsOf(now, setRevoked)}
                rows={rows}
                rowKey={({ id }) => id}
                empty={
                  <Empty
                    title="No open invitations"
                    command={`waymark member invite ada@example.com --role member --org ${org}`}
                  >
                    An invitation is an email with a link that is valid for 7 days. From the command line:
                  </Empty>
                }
              />
              {pages > 1 && (
                <Pager
                  page={page}
                  pages={pages}
                  total={total}
                  what="invitations"
                  onPage={(to) => change({ invitations: to })}
                />
              )}
            </>
          );
        }}
      </Loaded>
      {inviting && <Invite onClose={() => setInviting(false)} />}
      {revoked && <Revoke invitation={revoked} onClose={() => setRevoked(undefined)} />}
    </Panel>
  );
}

function columnsOf(now: number, onRevoke: (invitation: Invitation) => void): readonly Column<Invitation>[] {
  return [
    {
      key: 'email',
      title: 'Email address',
      wide: true,
      cell: ({ email }) => <span className="font-medium">{email}</span>,
    },
    { key: 'role', title: 'Role', cell: ({ role }) => role },
    { key: 'by', title: 'Invited by', cell: ({ invited_by }) => invited_by, secondary: true },
    { key: 'created', title: 'Invited', cell: ({ created_at }) => <Time at={created_at} />, secondary: true },
    {
      key: 'expires',
      title: 'Expires',
      cell: ({ expires_at }) =>
        expires_at <= now ? <StateBadge state="unknown" word="Expired" /> : <Time at={expires_at} />,
    },
    {
      key: 'actions',
      title: 'Actions',
      cell: (invitation) => (
        <Button
          variant="remove"
          aria-label={`Withdraw the invitation to ${invitation.email}`}
          onPress={() => onRevoke(invitation)}
        >
          Withdraw
        </Button>
      ),
    },
  ];
}

function Invite({ onClose }: { readonly onClose: () => void }) {
  const org = useOrg();
  const [role, setRole] = useState<Role>('member');
  const write = useWrite(createInvitation, {
    done: ({ email }) => `Invitation sent to ${email}`,
    onDone: onClose,
  });
  return (
    <Dialog title={`Invite member to ${org}`} onClose={onClose}>
      {(close) => (
        <Form
          submit="Send invitation"
          error={write.error}
          isPending={write.isPending}
          onCancel={close}
          onSubmit={({ email = '' }) => write.mutate({ params: { org }, body: { email: email.trim(), role } })}
        >
          <Field
            name="email"
            type="email"
            label="Email address"
            isRequired
            autoFocus
            placeholder="ada@example.com"
            help="They get a link that is valid for 7 days. Inviting an address again replaces the open invitation."
          />
          <RoleSelect value={role} onChange={setRole} />
        </Form>
      )}
    </Dialog>
  );
}

function Revoke({ invitation, onClose }: { readonly invitation: Invitation; readonly onClose: () => void }) {
  const org = useOrg();
  const write = useWrite(revokeInvitation, {
    done: `Invitation to ${invitation.email} withdrawn`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title="Withdraw invitation"
      confirm="Withdraw invitation"
      write={write}
      onConfirm={() => write.mutate({ params: { org, invitation_id: invitation.id } })}
      onClose={onClose}
    >
      <p>
        The link in the email to <strong className="[overflow-wrap:anywhere]">{invitation.email}</strong> stops working.
        You can invite them again.
      </p>
    </ConfirmDialog>
  );
}
