import { type Role, roles } from '@waymark/contract';
import { Select } from '../../../ui/Fields.tsx';

export function RoleOrNone({
  label,
  none,
  value,
  onChange,
  hideLabel = false,
}: {
  readonly label: string;
  readonly none: string;
  readonly value: Role | null;
  readonly onChange: (role: Role | null) => void;
  readonly hideLabel?: boolean;
}) {
  return (
    <Select
      label={label}
      hideLabel={hideLabel}
      value={value ?? 'none'}
      onChange={(role) => onChange(role === 'none' ? null : (role as Role))}
      choices={[{ id: 'none', label: none }, ...roles.map((id) => ({ id, label: id }))]}
    />
  );
}
