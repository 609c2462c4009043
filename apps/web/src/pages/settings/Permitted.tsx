import { leastRole, type Permission, type PermissionRule, permissions } from '@waymark/contract';
import { useOrg } from '../../lib/route.ts';
import { useMay, useRole } from '../../lib/session.ts';
import { Notice } from '../../ui/Panel.tsx';
import { Loading } from '../../ui/States.tsx';

/** Shows its content to those with permission, and to others what is here and which role they need. */
export function Permitted({
  permission,
  what,
  children,
}: {
  readonly permission: Permission;
  /** What is here, as the beginning of a sentence. */
  readonly what: string;
  readonly children: React.ReactNode;
}) {
  const org = useOrg();
  const role = useRole();
  const may = useMay(permission);
  const rule: PermissionRule = permissions[permission];
  if (role === undefined) return <Loading />;
  if (may) return children;
  return (
    <Notice kind="info" title="You don’t have access to this page">
      <p>
        {what} require at least the {leastRole(permission)} role. Your role in {org} is {role}.
      </p>
      <p>
        Ask an admin of {org} for the {leastRole(permission)} role
        {rule.openedBy !== undefined && ', or to make members visible to every role under Settings › Organization'}.
      </p>
    </Notice>
  );
}
