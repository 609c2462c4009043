import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react';
import { lengthOf, PRESETS, type Span, shiftSpan, zoomSpan } from '../../pictures/timeline-span.ts';
import { Button } from '../../ui/Button.tsx';
import { SearchBox } from '../../ui/Fields.tsx';

interface ControlsProps {
  readonly span: Span;
  readonly at: number;
  readonly now: number;
  /** Whether the window ends now, and moves along. */
  readonly isToNow: boolean;
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onSpan: (span: Span) => void;
  readonly onPreset: (seconds: number) => void;
}

/** The window and the filter. */
export function TimelineControls(props: ControlsProps) {
  const { span, at, now, isToNow, name, onName, onSpan, onPreset } = props;
  const length = lengthOf(span);
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 no-print">
      <fieldset className="flex gap-1">
        <legend className="sr-only">Show the last</legend>
        {PRESETS.map(({ label, seconds }) => {
          const isOn = isToNow && Math.abs(length - seconds) < seconds / 20;
          return (
            <Button
              key={label}
              aria-pressed={isOn}
              className={isOn ? '!border-accent !bg-accent-wash !text-accent' : ''}
              onPress={() => onPreset(seconds)}
            >
              {label}
            </Button>
          );
        })}
      </fieldset>
      <div className="flex gap-1">
        <Button className="!px-2" aria-label="Earlier" onPress={() => onSpan(shiftSpan(span, -0.5, now))}>
          <ChevronLeft size={15} aria-hidden />
        </Button>
        <Button
          className="!px-2"
          aria-label="Later"
          isDisabled={span.to >= now - 60}
          onPress={() => onSpan(shiftSpan(span, 0.5, now))}
        >
          <ChevronRight size={15} aria-hidden />
        </Button>
        <Button className="!px-2" aria-label="Zoom in" onPress={() => onSpan(zoomSpan(span, 0.5, at, now))}>
          <ZoomIn size={15} aria-hidden />
        </Button>
        <Button className="!px-2" aria-label="Zoom out" onPress={() => onSpan(zoomSpan(span, 2, at, now))}>
          <ZoomOut size={15} aria-hidden />
        </Button>
      </div>
      <div className="sm:ml-auto">
        <SearchBox label="Filter by service" value={name} onChange={onName} />
      </div>
    </div>
  );
}
