import { dayOfSeconds } from '../lib/day.ts';
import { useNow } from '../lib/now.ts';
import { presetOf, presetStart, RANGE_PRESETS } from '../lib/range-presets.ts';
import { DayInput } from './DayInput.tsx';
import { type Choice, Select } from './Fields.tsx';

interface RangeProps {
  /** Days such as `2026-11-01`, both included, in UTC as everything that is counted by day. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** What no day at all means, such as `Any time` or `Last 30 days`. */
  readonly unset: string;
  readonly onChange: (range: { readonly from: string | undefined; readonly to: string | undefined }) => void;
}

const CUSTOM = 'custom';

/** A period of whole days: one of the usual ones, or from one day to another. */
export function RangePicker({ from, to, unset, onChange }: RangeProps) {
  const today = dayOfSeconds(useNow());
  const preset = presetOf(from, to, today);
  const choices: readonly Choice[] = [
    { id: '', label: unset },
    ...RANGE_PRESETS.map(({ days, label }) => ({ id: String(days), label })),
    ...(preset === undefined ? [{ id: CUSTOM, label: 'Custom period' }] : []),
  ];
  return (
    <div className="flex flex-wrap items-center gap-2 no-print" title="Days are in UTC">
      <Select
        label="Period"
        hideLabel
        className="w-40"
        value={preset === undefined ? CUSTOM : preset === 0 ? '' : String(preset)}
        onChange={(id) =>
          id !== CUSTOM && onChange({ from: id === '' ? undefined : presetStart(Number(id), today), to: undefined })
        }
        choices={choices}
      />
      <DayInput label="From" value={from} onChange={(day) => onChange({ from: day, to })} />
      <DayInput label="To" value={to} onChange={(day) => onChange({ from, to: day })} />
      <span className="text-[13px] text-quiet">UTC</span>
    </div>
  );
}
