import { useRef } from 'react';
import { classes } from '../ui/classes.ts';

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -0.01,
  ArrowDown: -0.01,
  ArrowRight: 0.01,
  ArrowUp: 0.01,
  PageDown: -0.1,
  PageUp: 0.1,
  Home: -1,
  End: 1,
};

interface HandleProps {
  /** The label for screen readers. */
  readonly label: string;
  readonly at: number;
  readonly min: number;
  readonly max: number;
  /** Its position in words. */
  readonly says: string;
  readonly x: number;
  readonly height: number;
  readonly kind: 'playhead' | 'second';
  /** Pixels from the left edge of the picture, as a time. */
  readonly timeAt: (x: number) => number;
  readonly onMove: (at: number, isDone: boolean) => void;
}

/**
 * A line over the picture that is dragged or moved with the arrow keys. It is a layer of its own, so that nothing below
 * is redrawn.
 */
export function TimelineHandle(props: HandleProps) {
  const { label, at, min, max, says, x, height, kind, timeAt, onMove } = props;
  const grip = useRef<HTMLDivElement>(null);
  const timeOf = (clientX: number) => {
    const edge = grip.current?.offsetParent?.parentElement?.getBoundingClientRect().left ?? 0;
    return Math.min(max, Math.max(min, timeAt(clientX - edge)));
  };
  const isPlayhead = kind === 'playhead';
  return (
    <div
      className="pointer-events-none absolute top-0 left-0 z-10 will-change-transform no-print"
      style={{ transform: `translateX(${x}px)`, height }}
    >
      <div
        className={classes(
          'absolute top-5 bottom-0 -ml-px w-0.5',
          isPlayhead ? 'bg-accent' : 'border-l-2 border-dashed border-accent',
        )}
      />
      <div
        ref={grip}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={Math.floor(min)}
        aria-valuemax={Math.ceil(max)}
        aria-valuenow={Math.round(at)}
        aria-valuetext={says}
        className={classes(
          'pointer-events-auto absolute top-0.5 -ml-3 flex h-5 w-6 cursor-ew-resize touch-none items-center justify-center rounded border text-[11px] font-semibold',
          isPlayhead ? 'border-accent bg-accent text-on-accent' : 'border-accent bg-panel text-accent',
        )}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          event.currentTarget.focus();
          event.preventDefault();
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) onMove(timeOf(event.clientX), false);
        }}
        onPointerUp={(event) => onMove(timeOf(event.clientX), true)}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          if (step === undefined) return;
          event.preventDefault();
          onMove(Math.min(max, Math.max(min, at + step * (max - min))), true);
        }}
      >
        <span aria-hidden>{isPlayhead ? '▾' : '2'}</span>
      </div>
    </div>
  );
}
