import { Check, ChevronDown, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  Select as AriaSelect,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
  TextArea,
  TextField,
} from 'react-aria-components';
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
  readonly isRequired?: boolean;
  readonly type?: 'text' | 'email' | 'url' | 'number' | 'date' | 'datetime-local';
  readonly lines?: number;
  readonly mono?: boolean;
  readonly autoFocus?: boolean;
  readonly placeholder?: string;
  readonly maxLength?: number;
}

/** A text to fill in. What the server says about `name` is shown below it, when it is within a `Form`. */
export function Field({ label, help, lines, mono = false, placeholder, type = 'text', ...rest }: FieldProps) {
  const look = classes(BOX, mono && 'font-mono text-[13px]');
  return (
    <TextField {...rest} type={type === 'datetime-local' ? 'text' : type} className="block">
      <Label className={LABEL}>{label}</Label>
      {lines === undefined ? (
        <Input className={look} {...(placeholder !== undefined && { placeholder })} type={type} />
      ) : (
        <TextArea className={look} rows={lines} {...(placeholder !== undefined && { placeholder })} />
      )}
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

/** One of a few. */
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
  readonly value?: string;
  readonly onChange?: (id: string) => void;
  readonly name?: string;
  readonly hideLabel?: boolean;
  readonly className?: string;
}) {
  return (
    <AriaSelect
      {...(value !== undefined && { value })}
      {...(onChange && { onChange: (key) => onChange(String(key)) })}
      {...(name !== undefined && { name })}
      className={classes('block', className)}
    >
      <Label className={hideLabel ? 'sr-only' : LABEL}>{label}</Label>
      <AriaButton className={classes(BOX, 'flex cursor-pointer items-center gap-2 text-left hover:bg-raised')}>
        <SelectValue<Choice> className="min-w-0 flex-1 truncate">{({ selectedText }) => selectedText}</SelectValue>
        <ChevronDown size={14} aria-hidden className="shrink-0 text-quiet" />
      </AriaButton>
      <FieldError className="mt-1 block text-[13px] text-bad" />
      <Popover className="min-w-(--trigger-width) overflow-auto rounded-md border border-line bg-panel p-1 shadow-lg">
        <ListBox items={choices} className="outline-none">
          {({ id, label: text }) => (
            <ListBoxItem
              id={id}
              textValue={text}
              className="flex cursor-pointer items-center gap-2 rounded px-2 py-1 text-[13.5px] outline-none data-[focused]:bg-raised"
            >
              {({ isSelected }) => (
                <>
                  <Check size={14} aria-hidden className={isSelected ? '' : 'invisible'} />
                  {text}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
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

/** Narrows a list down. Told when the typing pauses; `/` leads here. */
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
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onChange(typed), TYPING_MS);
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
