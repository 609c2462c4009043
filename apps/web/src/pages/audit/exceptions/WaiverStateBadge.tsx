import { CircleSlash2, Clock3, History, Replace, Undo2 } from 'lucide-react';
import { Pill } from '../../../ui/Pill.tsx';
import type { WaiverState } from '../../environments/waiver-state.ts';

const BADGES: Record<WaiverState, { readonly icon: typeof History; readonly word: string; readonly tone: string }> = {
  active: { icon: CircleSlash2, word: 'Active', tone: 'bg-waived-wash text-waived' },
  expiring: { icon: Clock3, word: 'Expires soon', tone: 'bg-unsure-wash text-unsure' },
  expired: { icon: History, word: 'Expired', tone: 'bg-raised text-quiet' },
  withdrawn: { icon: Undo2, word: 'Withdrawn', tone: 'bg-raised text-quiet' },
  replaced: { icon: Replace, word: 'Replaced', tone: 'bg-raised text-quiet' },
};

export function WaiverStateBadge({ state }: { readonly state: WaiverState }) {
  const { icon, word, tone } = BADGES[state];
  return (
    <Pill icon={icon} tone={tone}>
      {word}
    </Pill>
  );
}
