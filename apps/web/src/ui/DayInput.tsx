import { useTypedDay } from '../lib/typed-day.ts';
import { Button } from './Button.tsx';

/** A day in the address of the page. */
export function DayInput({
  label,
  value,
  onChange,
  clear,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
  readonly clear?: string;
}) {
  const { typed, type, finish } = useTypedDay(value ?? '', (day) => onChange(day || undefined));
  return (
    <div className="flex items-center gap-2 no-print">
      <label className="flex items-center gap-2 text-[13px] text-quiet">
        {label}
        <input
          type="date"
          value={typed}
          onChange={({ target }) => type(target.value)}
          onBlur={finish}
          className="rounded-md border border-field bg-panel px-2.5 py-1.5 text-[13.5px] text-ink"
        />
      </label>
      {value !== undefined && clear !== undefined && (
        <Button variant="quiet" onPress={() => onChange(undefined)}>
          {clear}
        </Button>
      )}
    </div>
  );
}
