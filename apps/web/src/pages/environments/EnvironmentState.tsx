import type { Environment } from '@waymark/contract';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { type Judged, unknownWord } from './unknown-word.ts';

type Heard = Judged & Pick<Environment, 'stale' | 'stale_since'>;

/** What is known now, and for how long a report has been overdue. */
export function EnvironmentState({ of, size = 'normal' }: { readonly of: Heard; readonly size?: 'normal' | 'large' }) {
  const word = unknownWord(of);
  const badge = <StateBadge state={stateOf(of.compliance)} size={size} {...(word !== undefined && { word })} />;
  if (!of.stale) return badge;
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {badge}
      <StaleMark since={of.stale_since} />
    </span>
  );
}
