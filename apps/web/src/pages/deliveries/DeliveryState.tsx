import type { Delivery } from '@waymark/contract';
import { Ban, CircleCheck, CircleX, Clock3 } from 'lucide-react';
import { classes } from '../../ui/classes.ts';
import { DELIVERY_WORDS } from './outcomes.ts';

const ICONS = { waiting: Clock3, delivered: CircleCheck, failed: CircleX, dropped: Ban };
const LOOKS: Record<Delivery['state'], string> = {
  waiting: 'bg-unsure-wash text-unsure',
  delivered: 'bg-good-wash text-good',
  failed: 'bg-bad-wash text-bad',
  dropped: 'bg-raised text-quiet',
};

/** What became of a delivery: each state with its shape, its word and its colour. */
export function DeliveryState({
  state,
  size = 'normal',
}: {
  readonly state: Delivery['state'];
  readonly size?: 'normal' | 'large';
}) {
  const Icon = ICONS[state];
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 rounded-full font-medium whitespace-nowrap',
        size === 'large' ? 'px-2.5 py-1 text-[14px]' : 'px-2 py-0.5 text-[12.5px]',
        LOOKS[state],
      )}
    >
      <Icon size={size === 'large' ? 17 : 14} aria-hidden className="shrink-0" />
      {DELIVERY_WORDS[state]}
    </span>
  );
}
