import { CircleSlash2, Clock3, History, Replace, Undo2 } from 'lucide-react';
import { classes } from '../../../ui/classes.ts';
import type { Standing } from './standing.ts';

const LOOKS: Record<Standing, { readonly icon: typeof History; readonly word: string; readonly look: string }> = {
  active: { icon: CircleSlash2, word: 'Active', look: 'bg-waived-wash text-waived' },
  expiring: { icon: Clock3, word: 'Expires soon', look: 'bg-unsure-wash text-unsure' },
  expired: { icon: History, word: 'Expired', look: 'bg-raised text-quiet' },
  withdrawn: { icon: Undo2, word: 'Withdrawn', look: 'bg-raised text-quiet' },
  replaced: { icon: Replace, word: 'Replaced', look: 'bg-raised text-quiet' },
};

export function StandingBadge({ standing }: { readonly standing: Standing }) {
  const { icon: Icon, word, look } = LOOKS[standing];
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-[12.5px] font-medium whitespace-nowrap',
        look,
      )}
    >
      <Icon size={14} aria-hidden className="shrink-0" />
      {word}
    </span>
  );
}
