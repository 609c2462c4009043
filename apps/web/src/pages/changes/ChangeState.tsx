import type { ChangeRequest } from '@waymark/contract';
import { Ban, CircleCheck, CircleX, Clock3, TimerOff } from 'lucide-react';
import { Pill } from '../../ui/Pill.tsx';
import { STATE_LABELS } from './change-words.ts';

const ICONS = { pending: Clock3, approved: CircleCheck, refused: CircleX, withdrawn: Ban, expired: TimerOff };
const TONES: Record<ChangeRequest['state'], string> = {
  pending: 'bg-unsure-wash text-unsure',
  approved: 'bg-good-wash text-good',
  refused: 'bg-bad-wash text-bad',
  withdrawn: 'bg-raised text-quiet',
  expired: 'bg-raised text-quiet',
};

/** Each state of a change request with its icon, word and color. */
export function ChangeState({
  state,
  size = 'normal',
}: {
  readonly state: ChangeRequest['state'];
  readonly size?: 'normal' | 'large';
}) {
  return (
    <Pill icon={ICONS[state]} tone={TONES[state]} size={size}>
      {STATE_LABELS[state]}
    </Pill>
  );
}
