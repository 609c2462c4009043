import { lazyRouteComponent } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { Suspense, startTransition, useState } from 'react';
import { NAME_BOX, type NameBoxProps } from './name-box-look.ts';

const NameList = lazyRouteComponent(() => import('./NameList.tsx'), 'NameList');

/**
 * One of many by name. Which are offered is for the server to say; to start over it is given another key. The list is half of
 * what a page weighs, so it is loaded when somebody comes to it; what is typed until then is kept.
 */
export function NameBox(props: NameBoxProps) {
  const { label, value, placeholder, onType } = props;
  const [text, setText] = useState(value ?? '');
  const [wanted, setWanted] = useState(false);
  const type = (next: string) => {
    setText(next);
    onType(next);
  };
  return (
    <Suspense>
      {wanted ? (
        <NameList {...props} text={text} onText={type} />
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
              // In a transition the face stays until the list is there.
              onFocus={() => startTransition(() => setWanted(true))}
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
