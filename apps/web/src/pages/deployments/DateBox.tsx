import { useEffect, useRef, useState } from 'react';
import { Field } from '../../ui/Fields.tsx';
import { isTypedOut } from './window.ts';

const TYPING_MS = 400;

interface DateBoxProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** '' where it was cleared. */
  readonly onPick: (date: string) => void;
}

/** A day. By the keys it is typed in parts, each of them a date already, so it is told when the typing pauses. */
export function DateBox({ label, name, value, onPick }: DateBoxProps) {
  const [typed, setTyped] = useState(value);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(pause.current), []);
  return (
    <Field
      label={label}
      name={name}
      type="date"
      value={typed}
      onChange={(next) => {
        setTyped(next);
        clearTimeout(pause.current);
        if (next === '' || isTypedOut(next)) pause.current = setTimeout(() => onPick(next), TYPING_MS);
      }}
    />
  );
}
