import { useEffect, useRef, useState } from 'react';

const TYPING_MS = 400;

/** While a year is typed, its first digits are a valid date too, of long ago. */
export function isTypedOut(date: string): boolean {
  return /^[1-9]\d{3}-/.test(date);
}

interface TypedDay {
  readonly typed: string;
  readonly type: (date: string) => void;
  /** Reports the day without waiting: whoever leaves the field has finished typing, and may press a button next. */
  readonly finish: () => void;
}

/** A day typed in parts, where each part already makes a date: reported when the typing pauses, '' when cleared. */
export function useTypedDay(value: string, onPick: (date: string) => void): TypedDay {
  const [typed, setTyped] = useState(value);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(pause.current), []);
  const pick = (date: string) => {
    clearTimeout(pause.current);
    pause.current = undefined;
    onPick(date);
  };
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(pause.current);
    pause.current = next === '' || isTypedOut(next) ? setTimeout(() => pick(next), TYPING_MS) : undefined;
  };
  const finish = () => {
    if (pause.current !== undefined) pick(typed);
  };
  return { typed, type, finish };
}
