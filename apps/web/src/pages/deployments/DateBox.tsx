import { useTypedDay } from '../../lib/typed-day.ts';
import { Field } from '../../ui/Fields.tsx';

interface DateBoxProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** '' where it was cleared. */
  readonly onPick: (date: string) => void;
}

export function DateBox({ label, name, value, onPick }: DateBoxProps) {
  const { typed, type, finish } = useTypedDay(value, onPick);
  return <Field label={label} name={name} type="date" value={typed} onChange={type} onBlur={finish} />;
}
