import { type LiveState, useLiveState } from '../lib/live.ts';
import { changePreferences, usePreferences } from '../lib/preferences.ts';
import { showToast } from '../lib/toasts.ts';
import { Button } from '../ui/Button.tsx';
import { classes } from '../ui/classes.ts';

const WORDS: Record<LiveState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused',
  lost: 'Not live',
};
const DOTS: Record<LiveState, string> = {
  connecting: 'bg-unsure-fill',
  live: 'bg-good-fill',
  paused: 'bg-field',
  lost: 'bg-bad-fill',
};

/** Shows whether live updates arrive, and switches them on and off. */
export function LiveIndicator() {
  const state = useLiveState();
  const { live } = usePreferences();
  const toggle = () => {
    changePreferences({ live: !live });
    showToast('good', live ? 'Live updates paused' : 'Live updates resumed');
  };
  return (
    <Button
      variant="quiet"
      aria-label={live ? `${WORDS[state]}: pause updates` : 'Paused: resume updates'}
      onPress={toggle}
    >
      <span aria-hidden className={classes('size-2 rounded-full', DOTS[state])} />
      <span className="max-sm:sr-only">{WORDS[state]}</span>
    </Button>
  );
}
