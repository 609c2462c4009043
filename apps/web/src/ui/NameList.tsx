import { ChevronDown } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { NAME_BOX, type NameBoxProps } from './name-box-classes.ts';

interface NameListProps extends NameBoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Shows what is chosen again, whatever was typed. */
  readonly onDone: () => void;
  /** What was marked in the face, if the cursor was there. */
  readonly marked: RefObject<readonly [number, number] | undefined>;
}

/** A `NameBox` at work. It takes the place of its face, and of the cursor there, and offers names at once. */
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
  // The cursor was in the face if it went away with it. Somebody who went on meanwhile is not called back.
  useLayoutEffect(() => {
    const range = marked.current;
    if (!range || document.activeElement !== document.body) return;
    input.current?.focus();
    input.current?.setSelectionRange(...range);
  }, [marked]);
  const pick = (key: React.Key | null) => {
    if (key === null) return;
    // At once: the address may take a moment, and another text than the one picked would open the list again.
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
      // What is typed and not picked chooses nothing, and must not look as if it did.
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
