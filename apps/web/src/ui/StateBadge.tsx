import { CircleCheck, CircleHelp, CircleSlash2, CircleX } from 'lucide-react';
import { classes } from './classes.ts';
import { Pill } from './Pill.tsx';

/** The four states, each with its icon, word and color. */
export type State = 'compliant' | 'non-compliant' | 'unknown' | 'waived';

export const STATE_WORDS: Record<State, string> = {
  compliant: 'Compliant',
  'non-compliant': 'Non-compliant',
  unknown: 'Unknown',
  waived: 'Waived',
};

const ICONS = { compliant: CircleCheck, 'non-compliant': CircleX, unknown: CircleHelp, waived: CircleSlash2 };
const TONES: Record<State, string> = {
  compliant: 'bg-good-wash text-good',
  'non-compliant': 'bg-bad-wash text-bad',
  unknown: 'bg-unsure-wash text-unsure',
  waived: 'bg-waived-wash text-waived',
};

/** The API has several spellings of a state. */
export function stateOf(text: string | boolean | null | undefined): State {
  if (text === true) return 'compliant';
  if (text === false) return 'non-compliant';
  const plain = (text ?? '').toLowerCase().replaceAll('_', '-');
  if (plain === 'compliant' || plain === 'non-compliant' || plain === 'waived') return plain;
  return plain === 'incomplete' ? 'non-compliant' : 'unknown';
}

export function StateIcon({ state, size = 15 }: { readonly state: State; readonly size?: number }) {
  const Icon = ICONS[state];
  const colour = { compliant: 'text-good', 'non-compliant': 'text-bad', unknown: 'text-unsure', waived: 'text-waived' };
  return <Icon size={size} aria-hidden className={classes('shrink-0', colour[state])} />;
}

interface BadgeProps {
  readonly state: State;
  /** Another word for it, such as INCOMPLETE for a trail. */
  readonly word?: string;
  readonly size?: 'normal' | 'large';
}

export function StateBadge({ state, word, size = 'normal' }: BadgeProps) {
  return (
    <Pill icon={ICONS[state]} tone={TONES[state]} size={size}>
      {word ?? STATE_WORDS[state]}
    </Pill>
  );
}
