import { useState } from 'react';
import { useSettled } from '../lib/settled.ts';

const TYPING_MS = 200;

/** The search text of a `NameBox`: the typed text once typing pauses, undefined while it is the selected name. */
export function useAsked(value?: string): readonly [asked: string, onType: (text: string) => void] {
  const [typed, onType] = useState('');
  return [useSettled(typed === value ? '' : typed, TYPING_MS), onType];
}
