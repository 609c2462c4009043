import type { Environment } from '@waymark/contract';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Judged, unknownWord } from './unknown-word.ts';

type Heard = Judged & Pick<Environment, 'stale' | 'stale_since'>;

/** A verdict with its reason to be doubted: what nobody has reported on lately is not green. */
export function EnvironmentState({ of, size = 'normal' }: { readonly of: Heard; readonly size?: 'normal' | 'large' }) {
  if (of.stale)
    return (
      <span className="inline-flex flex-wrap items-center gap-1.5">
        <StateBadge state="unknown" word="Silent" size={size} />
        <span className="text-[12.5px] text-quiet">
          overdue since <Time at={of.stale_since} as="short" />
        </span>
      </span>
    );
  const word = unknownWord(of);
  return <StateBadge state={stateOf(of.compliance)} size={size} {...(word !== undefined && { word })} />;
}
