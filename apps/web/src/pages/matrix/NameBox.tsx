import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { Button as AriaButton, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';

interface NameBoxProps {
  readonly label: string;
  /** What is named, such as `flow`. */
  readonly what: string;
  readonly value: string | undefined;
  /** Those that fit what is typed. */
  readonly names: readonly string[];
  readonly onType: (text: string) => void;
  readonly onPick: (name: string) => void;
  readonly placeholder?: string | undefined;
}

/** One of many by name. Which are offered is for the server to say; to start over it is given another key. */
export function NameBox({ label, what, value, names, onType, onPick, placeholder }: NameBoxProps) {
  const [text, setText] = useState(value ?? '');
  return (
    <ComboBox
      items={names.map((id) => ({ id }))}
      inputValue={text}
      onInputChange={(next) => {
        setText(next);
        onType(next);
      }}
      value={value ?? null}
      onChange={(key) => {
        if (key !== null && key !== value) onPick(String(key));
      }}
      allowsEmptyCollection
      className="w-56 no-print"
    >
      <Label className="mb-1 block text-[13px] font-medium">{label}</Label>
      <div className="relative">
        <Input
          {...(placeholder !== undefined && { placeholder })}
          className="w-full rounded-md border border-field bg-panel py-1.5 pr-8 pl-2.5 text-[14px] text-ink"
        />
        <AriaButton className="absolute top-1.5 right-1.5 cursor-pointer rounded p-1 text-quiet hover:text-ink">
          <ChevronDown size={14} aria-hidden />
        </AriaButton>
      </div>
      <Popover className="min-w-(--trigger-width) overflow-auto rounded-md border border-line bg-panel p-1 shadow-lg">
        <ListBox<{ id: string }>
          className="outline-none"
          renderEmptyState={() => <p className="px-2 py-1 text-[13px] text-quiet">No {what} fits</p>}
        >
          {({ id }) => (
            <ListBoxItem
              id={id}
              textValue={id}
              className="cursor-pointer rounded px-2 py-1 text-[13.5px] outline-none data-[focused]:bg-raised data-[selected]:font-medium"
            >
              {id}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
