import {
  allows,
  atLeast,
  type Permission,
  type PermissionRule,
  permissions,
  type Role,
  roles,
} from '@waymark/contract';
import { Check } from 'lucide-react';

const rows = Object.entries(permissions) as [Permission, PermissionRule][];

/** The permissions of each role, as the server checks them. */
export function RoleTable() {
  return (
    <details className="rounded-lg border border-line bg-panel px-4 py-3">
      <summary className="cursor-pointer font-semibold">Permissions by role</summary>
      <div className="mt-3 overflow-x-auto">
        <table className="w-full min-w-[36rem] border-collapse text-[13.5px]">
          <caption className="sr-only">Permissions by role</caption>
          <thead>
            <tr className="border-b border-line text-left text-[12.5px] text-quiet">
              <th scope="col" className="py-2 pr-3 font-medium">
                Permission
              </th>
              {roles.map((role) => (
                <th key={role} scope="col" className="px-3 py-2 text-center font-medium">
                  {role}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([permission, rule]) => (
              <tr key={permission} className="border-b border-line last:border-b-0">
                <th scope="row" className="py-2 pr-3 text-left font-normal">
                  {rule.says}
                </th>
                {roles.map((role) => (
                  <td key={role} className="px-3 py-2 text-center">
                    <Mark role={role} permission={permission} rule={rule} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Mark({
  role,
  permission,
  rule,
}: {
  readonly role: Role;
  readonly permission: Permission;
  readonly rule: PermissionRule;
}) {
  if (!allows(role, permission)) {
    return <span className="text-quiet">{rule.openedBy === undefined ? 'no' : 'if visible to every role'}</span>;
  }
  if (rule.ownBelow !== undefined && !atLeast(role, rule.ownBelow)) return <span>their own</span>;
  return (
    <span className="inline-flex items-center gap-1">
      <Check size={14} aria-hidden /> yes
    </span>
  );
}
