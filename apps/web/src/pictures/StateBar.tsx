import { complianceNow } from '@waymark/contract';
import { classes } from '../ui/classes.ts';
import { STATE_WORDS, type State, StateIcon } from '../ui/StateBadge.tsx';

/** The worst first, as everywhere. */
const ORDER: readonly State[] = ['non-compliant', 'unknown', 'waived', 'compliant'];

const FILLS: Readonly<Record<State, string>> = {
  compliant: 'bg-good-fill',
  'non-compliant': 'bg-bad-fill',
  unknown: 'bg-unsure-fill',
  waived: 'bg-waived-fill',
};

interface StateBarProps {
  readonly counts: Readonly<Record<State, number>>;
  readonly chosen?: State | undefined;
  /** Called with the state to filter by; undefined for all. */
  readonly onChoose: (state: State | undefined) => void;
  /** The report is overdue: the bar is hatched and in the past tense. A failure stays until a report ends it. */
  readonly isDoubtful?: boolean;
}

/** The number in each state, as one bar. The counts below repeat it in words, and filter when pressed. */
export function StateBar({ counts, chosen, onChoose, isDoubtful = false }: StateBarProps) {
  const shown = ORDER.filter((state) => counts[state] > 0 || state === chosen);
  return (
    <div>
      <div aria-hidden className="flex h-3 gap-0.5 overflow-hidden rounded-full bg-raised">
        {shown.map((state) => (
          <div
            key={state}
            className={classes(
              'min-w-1.5 basis-0',
              FILLS[state],
              chosen !== undefined && chosen !== state && 'opacity-35',
            )}
            style={{ flexGrow: counts[state] }}
          >
            {isDoubtful && <div className="hatch size-full" />}
          </div>
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-1.5">
        {shown.map((state) => (
          <li key={state}>
            <button
              type="button"
              aria-pressed={chosen === state}
              onClick={() => onChoose(chosen === state ? undefined : state)}
              className={classes(
                'inline-flex cursor-pointer items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-[13px] tabular-nums',
                chosen === state ? 'border-accent bg-accent-wash' : 'border-line hover:bg-raised',
              )}
            >
              <StateIcon state={complianceNow(state, isDoubtful)} size={14} />
              <span className="font-semibold">{counts[state].toLocaleString('en')}</span>
              {isDoubtful && (counts[state] === 1 ? 'was ' : 'were ')}
              {STATE_WORDS[state].toLowerCase()}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
