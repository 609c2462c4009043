import { FieldError, Input, Label, Text, TextField } from 'react-aria-components';

/** A field for a secret: masked, and not autofilled by browsers. */
export function SecretField({
  name,
  label,
  help,
}: {
  readonly name: string;
  readonly label: string;
  readonly help: string;
}) {
  return (
    <TextField name={name} type="password" autoComplete="new-password" className="block">
      <Label className="mb-1 block text-[13px] font-medium">{label}</Label>
      <Input className="w-full rounded-md border border-field bg-panel px-2.5 py-1.5 text-[14px] text-ink data-[invalid]:border-bad" />
      <Text slot="description" className="mt-1 block text-[12.5px] text-quiet">
        {help}
      </Text>
      <FieldError className="mt-1 block text-[13px] text-bad" />
    </TextField>
  );
}
