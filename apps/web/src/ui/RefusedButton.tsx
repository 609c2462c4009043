import { useId, useState } from 'react';

interface RefusedProps {
  readonly whyNot: string;
  readonly className: string;
  readonly type: 'button' | 'submit' | 'reset';
  readonly 'aria-label': string | undefined;
  readonly children: React.ReactNode;
}

const GAP_PX = 4;
const BUBBLE =
  'pointer-events-none fixed z-50 max-w-72 rounded-md border border-line bg-raised px-2 py-1 text-[12.5px] text-ink shadow-lg no-print';

/**
 * A disabled button that tells why. It takes the focus, or neither the keyboard nor a finger would get the reason; the
 * reason floats, so that the row of buttons keeps its line.
 */
export function RefusedButton({ whyNot, className, children, type, 'aria-label': label }: RefusedProps) {
  const id = useId();
  const [below, setBelow] = useState<DOMRect>();
  const show = ({ currentTarget }: React.SyntheticEvent<HTMLElement>) =>
    setBelow(currentTarget.getBoundingClientRect());
  const hide = () => setBelow(undefined);
  return (
    <span className="relative inline-flex">
      <button
        type={type}
        aria-disabled="true"
        aria-label={label}
        aria-describedby={id}
        className={className}
        onClick={(event) => {
          event.preventDefault();
          show(event);
        }}
        onPointerEnter={show}
        onPointerLeave={hide}
        onFocus={show}
        onBlur={hide}
        onKeyDown={({ key }) => key === 'Escape' && hide()}
      >
        {children}
      </button>
      <span
        id={id}
        className={below ? BUBBLE : 'sr-only'}
        {...(below && { style: { top: below.bottom + GAP_PX, ...sideOf(below) } })}
      >
        {whyNot}
      </span>
    </span>
  );
}

/** Grows toward the middle of the screen. */
function sideOf({ left, right }: DOMRect): { readonly left: number } | { readonly right: number } {
  const width = document.documentElement.clientWidth;
  return left + right < width ? { left } : { right: width - right };
}
