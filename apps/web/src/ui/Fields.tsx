import { Check, ChevronDown, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Checkbox as AriaCheckbox, FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components';
import { classes } from './classes.ts';

const BOX =
  'w-full rounded-md border border-field bg-panel px-2.5 py-1.5 text-[14px] text-ink disabled:opacity-60 data-[invalid]:border-bad';
const LABEL = 'mb-1 block text-[13px] font-medium';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly help?: React.ReactNode;
  readonly defaultValue?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly onBlur?: () => void;
  readonly isRequired?: boolean;
  readonly type?: 'text' | 'email' | 'url' | 'number' | 'date' | 'datetime-local';
  readonly lines?: number;
  readonly mono?: boolean;
  readonly autoFocus?: boolean;
  readonly placeholder?: string;
  readonly maxLength?: number;
}

/** A text field. Within a `Form`, the server's error about `name` is shown below it. */
export function Field({ label, help, lines, mono = false, placeholder, type = 'text', ...rest }: FieldProps) {
  // `Form` reads `required`; React Aria turns `isRequired` into `aria-required` only.
  const input = {
    className: classes(BOX, mono && 'font-mono text-[13px]'),
    required: rest.isRequired ?? false,
    ...(placeholder !== undefined && { placeholder }),
  };
  return (
    <TextField {...rest} type={type === 'datetime-local' ? 'text' : type} className="block">
      <Label className={LABEL}>{label}</Label>
      {lines === undefined ? <Input {...input} type={type} /> : <TextArea {...input} rows={lines} />}
      {help !== undefined && (
        <Text slot="description" className="mt-1 block text-[12.5px] text-quiet">
          {help}
        </Text>
      )}
      <FieldError className="mt-1 block text-[13px] text-bad" />
    </TextField>
  );
}

export interface Choice {
  readonly id: string;
  readonly label: string;
}

/** Selects one of a few. The browser's native list is familiar everywhere, and adds no code. */
export function Select({
  label,
  choices,
  value,
  onChange,
  name,
  hideLabel = false,
  className,
}: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly name?: string;
  readonly hideLabel?: boolean;
  readonly className?: string;
}) {
  const isOffered = choices.some(({ id }) => id === value);
  return (
    <label className={classes('block', className)}>
      <span className={hideLabel ? 'sr-only' : LABEL}>{label}</span>
      <span className="relative block">
        <select
          {...(name !== undefined && { name })}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={classes(BOX, 'cursor-pointer appearance-none truncate pr-7 hover:bg-raised')}
        >
          {/* Selected by the address but not, or not yet, in the list: shown unchanged. */}
          {!isOffered && <option value={value}>{value}</option>}
          {choices.map(({ id, label: text }) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
        <ChevronDown size={14} aria-hidden className="pointer-events-none absolute top-2.5 right-2 text-quiet" />
      </span>
    </label>
  );
}

export function Checkbox({
  children,
  ...rest
}: {
  readonly children: React.ReactNode;
  readonly isSelected?: boolean;
  readonly defaultSelected?: boolean;
  readonly onChange?: (on: boolean) => void;
  readonly name?: string;
  readonly value?: string;
  readonly isDisabled?: boolean;
}) {
  return (
    <AriaCheckbox {...rest} className="group flex cursor-pointer items-start gap-2 data-[disabled]:opacity-60">
      <span className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded border border-field bg-panel group-data-[selected]:border-accent group-data-[selected]:bg-accent group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent">
        <Check size={12} aria-hidden className="invisible text-on-accent group-data-[selected]:visible" />
      </span>
      <span>{children}</span>
    </AriaCheckbox>
  );
}

const TYPING_MS = 300;

/** Filters a list. Calls onChange when the typing pauses; `/` moves the focus here. */
export function SearchBox({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  // Passed to onChange and not yet back as the value. By the time they are, more may have been typed.
  const pending = useRef<readonly string[]>([]);
  useEffect(() => {
    const place = pending.current.lastIndexOf(value);
    pending.current = place === -1 ? [] : pending.current.slice(place + 1);
    if (place === -1) setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => {
      pending.current = [...pending.current, typed];
      onChange(typed);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <label className="relative block min-w-48 no-print">
      <span className="sr-only">{label}</span>
      <Search size={14} aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 text-quiet" />
      <input
        type="search"
        data-search
        placeholder={label}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        className={classes(BOX, 'pl-8')}
      />
    </label>
  );
}
