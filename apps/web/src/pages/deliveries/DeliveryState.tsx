import type { Delivery } from '@waymark/contract';
import { Ban, CircleCheck, CircleX, Clock3 } from 'lucide-react';
import { Pill } from '../../ui/Pill.tsx';
import { DELIVERY_WORDS } from './outcomes.ts';

const ICONS = { waiting: Clock3, delivered: CircleCheck, failed: CircleX, dropped: Ban };
const TONES: Record<Delivery['state'], string> = {
  waiting: 'bg-unsure-wash text-unsure',
  delivered: 'bg-good-wash text-good',
  failed: 'bg-bad-wash text-bad',
  dropped: 'bg-raised text-quiet',
};

/** Each state of a delivery with its icon, word and color. */
export function DeliveryState({
  state,
  size = 'normal',
}: {
  readonly state: Delivery['state'];
  readonly size?: 'normal' | 'large';
}) {
  return (
    <Pill icon={ICONS[state]} tone={TONES[state]} size={size}>
      {DELIVERY_WORDS[state]}
    </Pill>
  );
}
