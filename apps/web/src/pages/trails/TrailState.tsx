import { StateBadge } from '../../ui/StateBadge.tsx';

/** Incomplete is not a failure: what is missing may still arrive. It is not green either. */
export function TrailState({
  state,
  size = 'normal',
}: {
  readonly state: 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE';
  readonly size?: 'normal' | 'large';
}) {
  if (state === 'INCOMPLETE') return <StateBadge state="unknown" word="Incomplete" size={size} />;
  return <StateBadge state={state === 'COMPLIANT' ? 'compliant' : 'non-compliant'} size={size} />;
}
