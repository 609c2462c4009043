import { CircleSlash2, Clock3, History, Replace, Undo2 } from 'lucide-react';
import { Pill } from '../../../ui/Pill.tsx';
import type { WaiverState } from '../../environments/waiver-state.ts';

const LOOKS: Record<WaiverState, { readonly icon: typeof History; readonly word: string; readonly look: string }> = {
  active: { icon: CircleSlash2, word: 'Active', look: 'bg-waived-wash text-waived' },
  expiring: { icon: Clock3, word: 'Expires soon', look: 'bg-unsure-wash text-unsure' },
  expired: { icon: History, word: 'Expired', look: 'bg-raised text-quiet' },
  withdrawn: { icon: Undo2, word: 'Withdrawn', look: 'bg-raised text-quiet' },
  replaced: { icon: Replace, word: 'Replaced', look: 'bg-raised text-quiet' },
};

export function WaiverStateBadge({ state }: { readonly state: WaiverState }) {
  const { icon, word, look } = LOOKS[state];
  return (
    <Pill icon={icon} look={look}>
      {word}
    </Pill>
  );
}
