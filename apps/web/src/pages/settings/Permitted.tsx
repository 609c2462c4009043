import { leastRole, type Permission } from '@waymark/contract';
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
  if (role === undefined) return <Loading />;
  if (may) return children;
  return (
    <Notice kind="info" title="Your role does not open this">
      <p>
        {what} are shown to those who have at least the role {leastRole(permission)}. Yours in {org} is {role}.
      </p>
      <p>An admin of the org can give you another one.</p>
    </Notice>
  );
}
