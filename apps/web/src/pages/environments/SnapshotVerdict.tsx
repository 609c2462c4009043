import { complianceNow } from '@waymark/contract';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { STATE_WORDS, StateBadge, stateOf } from '../../ui/StateBadge.tsx';

interface SnapshotVerdictProps {
  readonly compliance: string;
  /** It is the latest, and the report that would confirm or end it is overdue. */
  readonly isStale: boolean;
  readonly size?: 'normal' | 'large';
}

/** The verdict on a snapshot. In the past tense if it is stale. */
export function SnapshotVerdict({ compliance, isStale, size = 'normal' }: SnapshotVerdictProps) {
  const state = stateOf(compliance);
  if (!isStale) return <StateBadge state={state} size={size} />;
  const now = complianceNow(state, true);
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <StateBadge state={now} size={size} {...(now !== state && { word: `Was ${STATE_WORDS[state].toLowerCase()}` })} />
      <StaleMark />
    </span>
  );
}
