import { X } from 'lucide-react';
import { dismissToast, useToasts } from '../lib/toasts.ts';
import { Button } from './Button.tsx';
import { classes } from './classes.ts';

export function Toasts() {
  const toasts = useToasts();
  return (
    <div role="status" aria-live="polite" className="fixed right-4 bottom-4 z-50 space-y-2 no-print">
      {toasts.map(({ id, kind, text }) => (
        <div
          key={id}
          className={classes(
            'flex max-w-md items-start gap-2 rounded-lg border border-line px-4 py-2.5 shadow-lg',
            kind === 'good' ? 'bg-good-wash text-good' : 'bg-bad-wash text-bad',
          )}
        >
          <p className="[overflow-wrap:anywhere]">{text}</p>
          <Button variant="quiet" className="!p-1" onPress={() => dismissToast(id)} aria-label="Dismiss">
            <X size={14} aria-hidden />
          </Button>
        </div>
      ))}
    </div>
  );
}
