import { useEffect, useRef, useState } from 'react';

const TYPING_MS = 400;

/** While a year is typed, its first digits are a valid date too, of long ago. */
export function isTypedOut(date: string): boolean {
  return /^[1-9]\d{3}-/.test(date);
}

/** A day typed in parts, where each part already makes a date: reported when the typing pauses, '' when cleared. */
export function useTypedDay(value: string, onPick: (date: string) => void): readonly [string, (date: string) => void] {
  const [typed, setTyped] = useState(value);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(pause.current), []);
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(pause.current);
    if (next === '' || isTypedOut(next)) pause.current = setTimeout(() => onPick(next), TYPING_MS);
  };
  return [typed, type];
}
