import { changeMember, type Member, type Role, removeMember } from '@waymark/contract';
import { useState } from 'react';
import { leaveFor } from '../../../lib/base-path.ts';
import { useWrite } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { useSession } from '../../../lib/session.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Notice } from '../../../ui/Panel.tsx';
import { RoleSelect } from '../RoleSelect.tsx';

interface Props {
  readonly member: Member;
  readonly onClose: () => void;
}

export function ChangeRole({ member, onClose }: Props) {
  const org = useOrg();
  const own = useSession().data?.login;
  const [role, setRole] = useState<Role>(member.role);
  const write = useWrite(changeMember, { done: `${member.login} now has the ${role} role`, onDone: onClose });
  return (
    <Dialog title={`Role of ${member.display_name}`} onClose={onClose}>
      {(close) => (
        <Form
          submit="Change role"
          error={write.error}
          isPending={write.isPending}
          onCancel={close}
          onSubmit={() => write.mutate({ params: { org, login: member.login }, body: { role } })}
        >
          <RoleSelect value={role} onChange={setRole} />
          <p className="text-[13px] text-quiet">
            The new role applies from the next request. Open invitations to their address are withdrawn.
          </p>
          {member.login === own && role !== 'admin' && (
            <Notice kind="unsure" title="This is you">
              You would no longer be an admin, and could not undo it yourself.
            </Notice>
          )}
        </Form>
      )}
    </Dialog>
  );
}

export function RemoveMember({ member, onClose }: Props) {
  const org = useOrg();
  const own = useSession().data?.login;
  const isSelf = member.login === own;
  const write = useWrite(removeMember, {
    done: `${member.login} is no longer a member`,
    onDone: () => (isSelf ? leaveFor('/') : onClose()),
  });
  return (
    <ConfirmDialog
      title={isSelf ? `Leave ${org}` : `Remove ${member.display_name} from ${org}`}
      confirm={isSelf ? 'Leave org' : `Remove ${member.login}`}
      write={write}
      onConfirm={() => write.mutate({ params: { org, login: member.login } })}
      onClose={onClose}
    >
      <p>
        {isSelf ? 'Your' : 'Their'} sessions and personal keys lose access to {org} from the next request. Anything that
        uses one of those keys stops working here.
      </p>
      <p className="text-quiet">
        What {isSelf ? 'you' : 'they'} recorded stays, and so do the service accounts {isSelf ? 'you' : 'they'} created.
      </p>
    </ConfirmDialog>
  );
}
