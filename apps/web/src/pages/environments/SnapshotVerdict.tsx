import { STATE_WORDS, StateBadge, stateOf } from '../../ui/StateBadge.tsx';

interface SnapshotVerdictProps {
  readonly compliance: string;
  /** It is the latest, and the report that would confirm or end it is overdue. */
  readonly isSilent: boolean;
  readonly size?: 'normal' | 'large';
}

/** What was decided on a snapshot. Of one that nobody has confirmed for too long, it is said to have been so. */
export function SnapshotVerdict({ compliance, isSilent, size = 'normal' }: SnapshotVerdictProps) {
  const state = stateOf(compliance);
  if (!isSilent) return <StateBadge state={state} size={size} />;
  return <StateBadge state="unknown" word={`Was ${STATE_WORDS[state].toLowerCase()}, now silent`} size={size} />;
}
