import { type Role, roles } from '@waymark/contract';
import { Select } from '../../ui/Fields.tsx';
import { roleSays } from './role-words.ts';

/** A role, with what it may do. */
export function RoleSelect({
  value,
  onChange,
  among = roles,
  label = 'Role',
  name = 'role',
}: {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
  readonly among?: readonly Role[];
  readonly label?: string;
  readonly name?: string;
}) {
  return (
    <div>
      <Select
        label={label}
        name={name}
        value={value}
        onChange={(role) => onChange(role as Role)}
        choices={among.map((id) => ({ id, label: id }))}
      />
      <p className="mt-1 text-[12.5px] text-quiet">{roleSays(value)}</p>
    </div>
  );
}
