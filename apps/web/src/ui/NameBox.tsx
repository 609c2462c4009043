import { lazyRouteComponent } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { Suspense, startTransition, useRef, useState } from 'react';
import { NAME_BOX, type NameBoxProps } from './name-box-classes.ts';

const NameList = lazyRouteComponent(() => import('./NameList.tsx'), 'NameList');

/**
 * Selects one of many by name. The server decides which are suggested. The list is half the size of a page, so it is
 * loaded when the field gets the focus; text typed until then is not lost.
 */
export function NameBox(props: NameBoxProps) {
  const { label, value = '', placeholder, onType } = props;
  const [typed, setTyped] = useState<string>();
  const [wanted, setWanted] = useState(false);
  const marked = useRef<readonly [number, number]>(undefined);
  const text = typed ?? value;
  const type = (next: string) => {
    setTyped(next);
    onType(next);
  };
  const done = () => {
    setTyped(undefined);
    onType('');
  };
  const mark = ({ selectionStart, selectionEnd }: HTMLInputElement) => {
    marked.current = [selectionStart ?? 0, selectionEnd ?? 0];
  };
  return (
    <Suspense>
      {wanted ? (
        <NameList {...props} text={text} onText={type} onDone={done} marked={marked} />
      ) : (
        <label className={NAME_BOX.frame}>
          <span className={NAME_BOX.label}>{label}</span>
          <span className="relative block">
            <input
              role="combobox"
              aria-expanded={false}
              aria-autocomplete="list"
              autoComplete="off"
              {...(placeholder !== undefined && { placeholder })}
              value={text}
              onChange={({ target }) => type(target.value)}
              onSelect={({ currentTarget }) => mark(currentTarget)}
              onBlur={() => {
                marked.current = undefined;
              }}
              onFocus={({ currentTarget }) => {
                mark(currentTarget);
                // In a transition the plain input stays until the list has loaded.
                startTransition(() => setWanted(true));
              }}
              className={NAME_BOX.input}
            />
            <span className={NAME_BOX.chevron} aria-hidden>
              <ChevronDown size={14} />
            </span>
          </span>
        </label>
      )}
    </Suspense>
  );
}
