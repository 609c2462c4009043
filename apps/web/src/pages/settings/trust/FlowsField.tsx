import { Field } from '../../../ui/Fields.tsx';

/** The flows to which trust is limited. */
export function FlowsField() {
  return <Field name="flows" label="Flows" help="Names with commas between them. Leave it empty for all flows." />;
}

/** Null for all flows. */
export function flowsIn(text: string): string[] | null {
  const names = text.split(/[,\s]+/).filter((name) => name !== '');
  return names.length === 0 ? null : names;
}
