import { MAX_REPORT_DAYS } from '@waymark/contract';
import { DAY_SECONDS, dayEnd, dayOfSeconds, dayStart } from '../../../lib/day.ts';

const DAYS = 30;

export interface Period {
  readonly fromDay: string;
  readonly toDay: string;
  readonly from: number;
  /** Never later than now. */
  readonly to: number;
  readonly fault?: string;
}

/** The chosen days, or the last thirty. */
export function periodOf(fromDay: string | undefined, toDay: string | undefined, now: number): Period {
  const lastDay = toDay ?? dayOfSeconds(now);
  const to = Math.min(dayEnd(lastDay) ?? now, now);
  const firstDay = fromDay ?? dayOfSeconds((dayStart(lastDay) ?? now) - (DAYS - 1) * DAY_SECONDS);
  const from = dayStart(firstDay) ?? 0;
  const period = { fromDay: firstDay, toDay: lastDay, from, to };
  if (from > to) return { ...period, fault: 'The period ends before it starts. Choose a later last day.' };
  if (to - from > MAX_REPORT_DAYS * DAY_SECONDS)
    return { ...period, fault: `A report covers at most ${MAX_REPORT_DAYS} days. Choose a later first day.` };
  return period;
}
