import { ChevronDown } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { NAME_BOX, type NameBoxProps } from './name-box-classes.ts';

interface NameListProps extends NameBoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Resets the text to the selected name. */
  readonly onDone: () => void;
  /** The selection in the plain input, if it had the focus. */
  readonly marked: RefObject<readonly [number, number] | undefined>;
}

/** The loaded `NameBox`. It replaces the plain input, takes over its focus, and suggests names at once. */
export function NameList({
  label,
  what,
  value,
  names,
  onPick,
  placeholder,
  text,
  onText,
  onDone,
  marked,
}: NameListProps) {
  const input = useRef<HTMLInputElement>(null);
  // The plain input had the focus if the focus went away with it. If the user has moved on, the focus stays there.
  useLayoutEffect(() => {
    const range = marked.current;
    if (!range || document.activeElement !== document.body) return;
    input.current?.focus();
    input.current?.setSelectionRange(...range);
  }, [marked]);
  const pick = (key: React.Key | null) => {
    if (key === null) return;
    // At once: the address may take a moment, and a text other than the selected one would reopen the list.
    onText(String(key));
    if (key !== value) onPick(String(key));
  };
  return (
    <ComboBox
      items={names.map((id) => ({ id }))}
      inputValue={text}
      onInputChange={onText}
      value={value ?? null}
      onChange={pick}
      // Typed text that was not selected has no effect, and must not look as if it had.
      onBlur={onDone}
      allowsEmptyCollection
      menuTrigger="focus"
      className={NAME_BOX.frame}
    >
      <Label className={NAME_BOX.label}>{label}</Label>
      <div className="relative">
        <Input ref={input} {...(placeholder !== undefined && { placeholder })} className={NAME_BOX.input} />
        <Button className={NAME_BOX.chevron}>
          <ChevronDown size={14} aria-hidden />
        </Button>
      </div>
      <Popover className="min-w-(--trigger-width) overflow-auto rounded-md border border-line bg-panel p-1 shadow-lg">
        <ListBox<{ id: string }>
          className="outline-none"
          renderEmptyState={() => <p className="px-2 py-1 text-[13px] text-quiet">No {what} match</p>}
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
