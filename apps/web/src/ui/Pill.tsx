import type { LucideIcon } from 'lucide-react';
import { classes } from './classes.ts';

/** A state with icon, word and color, so that none of them is the only sign. */
export function Pill({
  icon: Icon,
  tone,
  size = 'normal',
  children,
}: {
  readonly icon: LucideIcon;
  /** Classes of its colours, such as `bg-good-wash text-good`. */
  readonly tone: string;
  readonly size?: 'normal' | 'large';
  readonly children: React.ReactNode;
}) {
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 rounded-full font-medium whitespace-nowrap',
        size === 'large' ? 'px-2.5 py-1 text-[14px]' : 'px-2 py-0.5 text-[12.5px]',
        tone,
      )}
    >
      <Icon size={size === 'large' ? 17 : 14} aria-hidden className="shrink-0" />
      {children}
    </span>
  );
}
