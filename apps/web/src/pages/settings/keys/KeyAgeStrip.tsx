import { CircleHelp, CircleX, Infinity as Endless, RefreshCw } from 'lucide-react';
import { useNow } from '../../../lib/now.ts';
import { usePreferences } from '../../../lib/preferences.ts';
import { absolute } from '../../../lib/time.ts';
import { classes } from '../../../ui/classes.ts';
import { type KeyAge, keyAge } from './key-age.ts';

const FILLS: Record<KeyAge['state'], string> = {
  expired: 'bg-bad-fill',
  soon: 'bg-unsure-fill',
  good: 'bg-field/60',
  endless: '',
  replaced: '',
};
const WORDS: Record<KeyAge['state'], string> = {
  expired: 'text-bad font-medium',
  soon: 'text-unsure font-medium',
  good: '',
  endless: 'text-quiet',
  replaced: 'text-quiet',
};
const ICONS = { expired: CircleX, soon: CircleHelp, good: undefined, endless: Endless, replaced: RefreshCw };

/** How much of its lifetime a key has used. The text says all that the strip shows. */
export function KeyAgeStrip({ of }: { readonly of: Parameters<typeof keyAge>[0] }) {
  const now = useNow();
  const { zone } = usePreferences();
  const { state, says, share } = keyAge(of, now);
  const Icon = ICONS[state];
  return (
    <div className="min-w-40">
      <p
        className={classes('flex items-center gap-1 whitespace-nowrap', WORDS[state])}
        {...(of.expires_at !== 0 && { title: absolute(of.expires_at, zone) })}
      >
        {Icon && <Icon size={14} aria-hidden className="shrink-0" />}
        {says}
      </p>
      {state !== 'replaced' && (
        <div
          aria-hidden
          className={classes('mt-1 h-1.5 w-40 overflow-hidden rounded-full bg-raised', state === 'endless' && 'hatch')}
        >
          {share !== null && (
            <div className={classes('h-full', FILLS[state])} style={{ width: `${Math.max(2, share * 100)}%` }} />
          )}
        </div>
      )}
    </div>
  );
}
