import { useMay, useOrgKind } from '../../../lib/session.ts';
import { Notice } from '../../../ui/Panel.tsx';
import { Permitted } from '../Permitted.tsx';
import { RoleTable } from '../RoleTable.tsx';
import { Invitations } from './Invitations.tsx';
import { MemberList } from './MemberList.tsx';

export function MembersTab() {
  const kind = useOrgKind();
  const mayManage = useMay('manage_members');
  return (
    <div className="space-y-4">
      {kind === 'personal' && (
        <Notice kind="info" title="This is your personal org">
          It always has exactly one member. To work with others, create a shared org under Organization.
        </Notice>
      )}
      <Permitted permission="read_members" what="Members">
        <MemberList />
        {kind === 'shared' && mayManage && <Invitations />}
      </Permitted>
      <RoleTable />
    </div>
  );
}
