import { useState } from 'react';
import { useSettled } from '../lib/settled.ts';

const TYPING_MS = 200;

/** What a `NameBox` asks the server for: what is typed, once that pauses, and nothing while it is what is chosen. */
export function useAsked(value?: string): readonly [asked: string, onType: (text: string) => void] {
  const [typed, onType] = useState('');
  return [useSettled(typed === value ? '' : typed, TYPING_MS), onType];
}
