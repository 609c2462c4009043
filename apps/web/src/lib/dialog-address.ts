import { useState } from 'react';
import { z } from 'zod';
import { useSearchState } from './route.ts';

/** Dialogs that an address can open, so that the palette can lead to them. */
export const dialogs = [
  'create-environment',
  'create-flow',
  'create-control',
  'create-environment-notification',
  'create-flow-notification',
  'create-service-account',
  'create-key',
  'invite-member',
  'attach-policy',
] as const;
export type DialogId = (typeof dialogs)[number];

const Search = z.object({ open: z.enum(dialogs).optional() });

/** Whether a dialog is open. Closing it also takes it out of the address, so that going back does not reopen it. */
export function useDialogInAddress(id?: DialogId): readonly [isOpen: boolean, setOpen: (open: boolean) => void] {
  const [search, change] = useSearchState(Search);
  const [pressed, setPressed] = useState(false);
  const isAsked = id !== undefined && search.open === id;
  const setOpen = (open: boolean) => {
    setPressed(open);
    if (!open && isAsked) change({ open: undefined }, { replace: true });
  };
  return [pressed || isAsked, setOpen];
}
