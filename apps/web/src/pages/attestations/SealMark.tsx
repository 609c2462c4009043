import { BadgeCheck, CircleDashed, ShieldAlert, ShieldCheck, ShieldQuestion, ShieldX } from 'lucide-react';
import { classes } from '../../ui/classes.ts';
import { SEAL_WORDS, type Seal } from './seal.ts';

const ICONS = {
  verified: BadgeCheck,
  job: ShieldCheck,
  unverified: ShieldQuestion,
  unmatched: ShieldQuestion,
  failed: ShieldX,
  unproven: ShieldAlert,
  unsigned: CircleDashed,
};
const COLOURS: Readonly<Record<Seal, string>> = {
  verified: 'text-good',
  job: 'text-good',
  unverified: 'text-unsure',
  unmatched: 'text-unsure',
  failed: 'text-bad',
  unproven: 'text-unsure',
  unsigned: 'text-quiet',
};

/** What vouches for it: an icon and, if there is room, words. */
export function SealMark({ seal, words = true }: { readonly seal: Seal; readonly words?: boolean }) {
  const Icon = ICONS[seal];
  return (
    <span className={classes('inline-flex items-center gap-1 text-[12.5px]', COLOURS[seal])} title={SEAL_WORDS[seal]}>
      <Icon size={14} aria-hidden className="shrink-0" />
      {words ? SEAL_WORDS[seal] : <span className="sr-only">{SEAL_WORDS[seal]}</span>}
    </span>
  );
}
